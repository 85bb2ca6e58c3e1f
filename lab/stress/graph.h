/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The graph of waits that the ghost wrote down, now or at a moment of the past. */
#ifndef LAB_GRAPH_H
#define LAB_GRAPH_H

#include "ghost.h"

enum graph_answer { GRAPH_NO, GRAPH_YES, GRAPH_UNKNOWN };

/* Was there a cycle through @c, which waits, at any moment of this time? */
enum graph_answer graph_cycle_within(const struct ghost_ctx *c, u64 begin, u64 end);
/*
 * Has there been a cycle for longer than @ns, all of whose members have run all the time? A member
 * that did not run may be the victim already, and not have been able to leave.
 */
bool graph_cycle_missed(u64 now, u64 ns);

#endif /* LAB_GRAPH_H */
