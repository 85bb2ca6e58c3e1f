// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The locks in C; those that are in the simulator's dialect, too (locks/), have its names. */
#include "c/access.h"
#include "c/glue.h"
#include "c/memory.h"

extern const struct lab_ops lab_own_ticket, lab_ticket_10, lab_ticket_50, lab_ticket_250,
	lab_ticket_auto, lab_qspin, lab_queued_cmpxchg, lab_queued_store, lab_unfair, lab_tas,
	lab_cna_ops, lab_res_queue, lab_res_hybrid, lab_res_tas, lab_by_table;

static int socket_of[SIM_CPUS];

static void ops_init(struct sim_lock *l)
{
	c_memory_get(l);
	for (int i = 0; i < l->sim->ncpus; i++)
		socket_of[i] = l->sim->cpu[i].place.socket;
	c_glue_places(socket_of);
	c_glue_init(l->ops->code, c_memory_of(l));
}

static int ops_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	int ret = c_glue_lock(l->ops->code, c_memory_of(l));

	c_settle(c);
	return ret;
}

static void ops_release(struct sim_cpu *c, struct sim_lock *l)
{
	c_glue_unlock(l->ops->code, c_memory_of(l));
	c_settle(c);
}

#define LOCK(text, where, id, fails)                                                           \
	&(const struct lock_ops)                                                               \
	{                                                                                      \
		.name = "c:" text, .source = where, .code = &(id), .finds_deadlocks = (fails), \
		.init = ops_init, .done = c_memory_put, .acquire = ops_acquire,                \
		.release = ops_release                                                         \
	}

const struct lock_ops *const c_lock_table[] = {
	LOCK("ticket", "lab/locks/ticket.c", lab_own_ticket, false),
	LOCK("ticket-10x", "lab/locks/ticket.c", lab_ticket_10, false),
	LOCK("ticket-50x", "lab/locks/ticket.c", lab_ticket_50, false),
	LOCK("ticket-250x", "lab/locks/ticket.c", lab_ticket_250, false),
	LOCK("ticket-auto", "lab/locks/ticket.c", lab_ticket_auto, false),
	LOCK("qspinlock", "the kernel's qspinlock.c", lab_qspin, false),
	LOCK("queued-cmpxchg", "lab/locks/queued.c", lab_queued_cmpxchg, false),
	LOCK("queued-store", "lab/locks/queued.c", lab_queued_store, false),
	LOCK("unfair", "lab/locks/unfair.c", lab_unfair, false),
	LOCK("test-and-set", "lab/locks/unfair.c", lab_tas, false),
	LOCK("cna", "lab/locks/cna.c", lab_cna_ops, false),
	LOCK("queue", "our rqspinlock.c", lab_res_queue, true),
	LOCK("hybrid", "our rqspinlock.c", lab_res_hybrid, true),
	LOCK("tas", "our rqspinlock.c", lab_res_tas, true),
	LOCK("held-table", "lab/locks/held.c", lab_by_table, true),
	NULL,
};
