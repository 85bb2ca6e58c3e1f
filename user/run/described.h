/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects that describe how they want to be run: struct sample_run in sample.h. */
#ifndef RQSPIN_RUN_DESCRIBED_H
#define RQSPIN_RUN_DESCRIBED_H

#include <linux/types.h>

#include "progs/sample.h"
#include "run/samples.h"

/**
 * struct described - an object that describes itself, as if it were a sample
 * @sample: its texts are in @text
 */
struct described {
	struct sample sample;
	struct sample_run text;
};

/*
 * Returns 0; -ENOENT: the object has no description; -EINVAL: its description is wrong; -ENOEXEC:
 * libbpf crashes on the object. The last two have printed why.
 */
int described_read(struct described *d, const char *path);

#endif
