/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_HELD_VIEW_H
#define RQSPIN_HELD_VIEW_H

struct heldtab;
struct locknames;
struct print_opts;

enum held_state {
	HELD_HOLDS,
	HELD_WAITS,
	HELD_EITHER, /* the tables do not tell */
};

/* State of entry number nth of a CPU's table in the latest snapshot. */
enum held_state held_state(const struct heldtab *ht, unsigned int cpu, unsigned int nth);

/* The latest snapshot as text or one line of JSON; 0 or negative errno of the output. */
int held_print(const struct heldtab *ht, struct locknames *ln, const struct print_opts *opts);

#endif
