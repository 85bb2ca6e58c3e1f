/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compact NUMA-aware lock (Dice and Kogan, EuroSys 2019, arXiv 1810.05600; Alex Kogan's series for
 * qspinlock): a queued lock whose owner hands over to the next waiter of its own socket, and puts
 * those it passes over into a second queue, which goes along with the lock.
 */
#ifndef LAB_CNA_H
#define LAB_CNA_H

#include "shim.h"

/*
 * CPU i is on socket cna_places[i], or without places on socket i % cna_sockets, which is 1 at
 * first. Set while nobody uses a lock.
 */
extern int cna_sockets;
extern const int *cna_places;

/*
 * One hand-over in so many plus one, by lot, goes to the second queue, so that other sockets do not
 * starve. A power of two less one.
 */
extern u32 cna_mask;

static inline int cna_socket(int cpu)
{
	return cna_places ? cna_places[cpu] : cpu % cna_sockets;
}

#endif /* LAB_CNA_H */
