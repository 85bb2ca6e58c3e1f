/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Picks one failure from a file of events. */
#ifndef RQSPIN_REPLAY_PICK_H
#define RQSPIN_REPLAY_PICK_H

#include <jansson.h>

#include "output/page/lines.h"

/**
 * struct pick - which failure
 * @wanted: its number; 1 is the first
 * @failures: number of failures in the file
 * @line: the failure's line in the file
 */
struct pick {
	unsigned long long wanted, failures, line;
};

/*
 * The failure, which the caller gives back with json_decref(). NULL after printing why, with *err:
 * -EINVAL if there are not so many failures, -ENODATA if there is none, else that of lines_read().
 */
json_t *pick_failure(struct pick *p, struct lines *l, int *err);

#endif
