/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The graph of the recorded waits, now or at a moment of the past. */
#ifndef LAB_GRAPH_H
#define LAB_GRAPH_H

#include "ghost.h"

enum graph_answer { GRAPH_NO, GRAPH_YES, GRAPH_UNKNOWN };

/* Was there a cycle through @c, which waits, at any moment of this time? */
enum graph_answer graph_cycle_within(const struct ghost_ctx *c, u64 begin, u64 end);
/*
 * Has there been a cycle for longer than @ns whose members all ran in that time? A member that did
 * not run may already be the victim, but unable to leave.
 */
bool graph_cycle_missed(u64 now, u64 ns);

#endif /* LAB_GRAPH_H */
