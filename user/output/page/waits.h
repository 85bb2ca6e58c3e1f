/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who waits for whom in a cycle, from one failure, or from several that fit together. */
#ifndef RQSPIN_REPORT_WAITS_H
#define RQSPIN_REPORT_WAITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "output/page/names.h"

/**
 * struct waits_member - a CPU of the cycle
 * @who: its program, the kernel's function that waits, or what else is known of it
 * @at: where it waits, "" if unknown
 * @known: @who is a program or a function
 * @lock: the lock it wants; the next member holds it
 */
struct waits_member {
	char who[REPORT_NAME];
	char at[REPORT_NAME];
	bool known;
	char lock[REPORT_NAME];
};

/**
 * struct waits - a cycle
 * @kind: AA, ABBA or CYCLE
 * @whole: all members are in @members, not several as one
 * @more: members that are not in @members
 * @nr: of @members
 * @members: the CPU that failed first
 */
struct waits {
	char kind[8];
	bool whole;
	size_t more;
	size_t nr;
	struct waits_member members[];
};

/* Returns NULL if the line is no AA, ABBA or CYCLE, or without memory. The caller frees it. */
struct waits *waits_read(const json_t *line);

/* A key that is the same for cycles that may be one, whichever member failed. To be freed. */
char *waits_key(const struct waits *w);

/*
 * Can @w and @other be one deadlock, seen by different members? Then @w gets the facts that only
 * @other has. False: they contradict each other.
 */
bool waits_join(struct waits *w, const struct waits *other);

/* The cycle as a graph in the language of graphviz. The caller frees it; NULL without memory. */
char *waits_dot(const struct waits *w);

/*
 * "abba_0 at abba.bpf.c:18 wants lock_b and holds lock_a; abba_1 at abba.bpf.c:24 wants lock_a". To
 * be freed, NULL without memory.
 */
char *waits_text(const struct waits *w);

#endif
