/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The graph of waits, for oracles, which must not read the tables of a lock. */
#ifndef MC_GRAPH_H
#define MC_GRAPH_H

#include "mc.h"

void mc_graph_reset(void);
/* The running context has changed the word of @lock. */
void mc_graph_word(int lock, uint32_t from, uint32_t to);
/* The running context has left the queue of @lock. */
void mc_graph_leave(int lock);
/*
 * The victim dissolves its cycles: a context that is in a cycle only because of the victim must not
 * fail for it as well, unless a context took so long that a claim may have been taken over.
 * Contexts that have reported already made their verdict before.
 */
void mc_graph_dissolve(void);
/* Is any context in a cycle of waits? */
bool mc_graph_cycle(void);

#endif
