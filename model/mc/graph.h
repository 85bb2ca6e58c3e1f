/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who waits for whom: for oracles, which must not read the tables of a lock. */
#ifndef MC_GRAPH_H
#define MC_GRAPH_H

#include "mc.h"

void mc_graph_reset(void);
/* The word of @lock was changed by the context that runs. */
void mc_graph_word(int lock, uint32_t from, uint32_t to);
/* The context that runs is not in the queue of @lock any more. */
void mc_graph_leave(int lock);
/*
 * The victim dissolves its cycles: who is in one only because of the victim must not fail for
 * it as well, as long as nobody took so long that a claim may have been taken over. The verdict
 * of those who have reported was made before.
 */
void mc_graph_dissolve(void);
/* Is anybody in a cycle of waits? */
bool mc_graph_cycle(void);

#endif
