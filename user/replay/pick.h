/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One failure of a file of events. */
#ifndef RQSPIN_REPLAY_PICK_H
#define RQSPIN_REPLAY_PICK_H

#include <jansson.h>

#include "report/lines.h"

/**
 * struct pick - which one
 * @wanted: 1 is the first
 * @failures: there are in the file
 * @line: of the failure, in the file
 */
struct pick {
	unsigned long long wanted, failures, line;
};

/*
 * The failure, to be given back, or NULL with *err set after it has said why: -EINVAL if there are
 * not so many, -ENODATA if there is none, else that of lines_read().
 */
json_t *pick_failure(struct pick *p, struct lines *l, int *err);

#endif
