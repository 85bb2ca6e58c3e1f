/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_SHOW_HELD_VIEW_H
#define RQSPIN_SHOW_HELD_VIEW_H

struct heldtab;
struct locknames;
struct print_opts;
struct spinning;

/* The latest snapshot as text or one line of JSON; 0 or negative errno of the output. */
int held_print(const struct heldtab *ht, const struct spinning *sp, struct locknames *ln,
	       const struct print_opts *opts);

#endif
