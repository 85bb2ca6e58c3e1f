// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "locks.h"

extern const struct lab_ops lab_res_queue, lab_res_tas, lab_qspin, lab_tas, lab_ticket, lab_mcs,
	lab_clh, lab_posix, lab_empty;

const struct lab_ops *const lab_locks[] = {
	&lab_qspin, &lab_res_queue, &lab_res_tas, &lab_tas,   &lab_ticket,
	&lab_mcs,   &lab_clh,	    &lab_posix,	  &lab_empty, NULL,
};

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
