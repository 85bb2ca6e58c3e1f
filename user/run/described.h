/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects that say themselves how they want to be run: struct sample_run in sample.h. */
#ifndef RQSPIN_RUN_DESCRIBED_H
#define RQSPIN_RUN_DESCRIBED_H

#include <linux/types.h>

#include "progs/sample.h"
#include "run/samples.h"

/**
 * struct described - an object as if it were a sample
 * @sample: its texts are in @text
 */
struct described {
	struct sample sample;
	struct sample_run text;
};

/*
 * 0; -ENOENT: the object does not say; -EINVAL after it has said what is wrong with what the object
 * says; -ENOEXEC, likewise: libbpf crashes on it.
 */
int described_read(struct described *d, const char *path);

#endif
