/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums of failures by program and kind, both of failures that were seen and of lost ones. */
#ifndef RQSPIN_TRACE_TALLY_H
#define RQSPIN_TRACE_TALLY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/groups.h"

struct failure;

/**
 * struct tally_row - failures of one program and kind: the key is @prog_id to @others
 * @prog_id: program, 0: none, or unknown
 * @prog: its name, "" if unknown
 * @kind: enum rqspin_kind
 * @others: only the number of these failures is known
 * @failures: how many, lost ones included
 * @lost: how many of @failures were not handed out
 */
struct tally_row {
	__u32 prog_id;
	char prog[64];
	__u32 kind;
	bool others;
	__u64 failures, lost;
};

struct tally {
	struct groups groups;
};

/* like: NULL for others. lost: they were not handed out. */
void tally_add(struct tally *t, const struct failure *like, __u64 nr, bool lost);
void tally_free(struct tally *t);

size_t tally_nr(const struct tally *t);
const struct tally_row *tally_at(const struct tally *t, size_t i);

#endif
