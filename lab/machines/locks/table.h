/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_TABLE_H
#define SIM_TABLE_H

#include "locks/lock.h"

extern const struct lock_ops ticket_lock, ticket_10_lock, ticket_50_lock, ticket_250_lock,
	ticket_auto_lock, qspin_lock, qspin_cas_lock, unfair_lock, pv_lock, hybrid_pv_lock,
	queue_lock, hybrid_lock, cna_lock, tas_lock, tas_auto_lock, held_table_lock;

/* The locks in C, where they are built (c/). */
extern const struct lock_ops *const c_lock_table[] __attribute__((weak));

#endif
