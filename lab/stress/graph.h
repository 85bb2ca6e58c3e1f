/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The graph of waits that the ghost wrote down, now or at a moment of the past. */
#ifndef LAB_GRAPH_H
#define LAB_GRAPH_H

#include "ghost.h"

enum graph_answer { GRAPH_NO, GRAPH_YES, GRAPH_UNKNOWN };

/* Was there a cycle through @c, which waits, at any moment of this time? */
enum graph_answer graph_cycle_within(const struct ghost_ctx *c, u64 begin, u64 end);
/* For how long there has been a cycle that @c is in or waits for; 0 for none. */
u64 graph_cycle_age(const struct ghost_ctx *c, u64 now);

#endif /* LAB_GRAPH_H */
