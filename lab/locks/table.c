// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <lab/upstream.h>

#include "locks.h"

extern const struct lab_ops lab_res_queue, lab_res_hybrid, lab_res_tas, lab_qspin, lab_by_table,
	lab_queued_cmpxchg, lab_queued_store, lab_cna_ops, lab_pv_queued_ops, lab_pv_hybrid_ops,
	lab_unfair, lab_own_ticket, lab_ticket_10, lab_ticket_50, lab_ticket_250, lab_ticket_auto,
	lab_tas, lab_ck_ticket, lab_mcs, lab_clh, lab_posix, lab_empty, lab_upstream,
	lab_upstream_tas;

const struct lab_ops *const lab_locks[] = {
	&lab_qspin,
	&lab_res_queue,
	&lab_res_hybrid,
	&lab_res_tas,
	&lab_by_table,
	&lab_queued_cmpxchg,
	&lab_queued_store,
	&lab_cna_ops,
	&lab_pv_queued_ops,
	&lab_pv_hybrid_ops,
	&lab_unfair,
	&lab_own_ticket,
	&lab_ticket_10,
	&lab_ticket_50,
	&lab_ticket_250,
	&lab_ticket_auto,
	&lab_tas,
	&lab_ck_ticket,
	&lab_mcs,
	&lab_clh,
	&lab_posix,
	&lab_empty,
#ifdef LAB_HAS_UPSTREAM
	&lab_upstream,
	&lab_upstream_tas,
#endif
	NULL,
};

int lab_index_of(unsigned int flag)
{
	int i;

	for (i = 0; !(lab_locks[i]->flags & flag); i++)
		;
	return i;
}

const struct lab_ops *lab_lock_named(const char *name)
{
	int i;

	for (i = 0; lab_locks[i]; i++) {
		if (!strcmp(lab_locks[i]->name, name))
			return lab_locks[i];
	}
	return NULL;
}

void lab_ctx_init(struct lab_ctx *c)
{
	memset(c, 0, sizeof(*c));
	c->clh = &c->clh_node;
}
