// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "locks/lock.h"

static const struct lock_ops *const table[] = {
	&ticket_lock, &ticket_10_lock, &ticket_50_lock,	 &ticket_250_lock, &ticket_auto_lock,
	&qspin_lock,  &qspin_cas_lock, &unfair_lock,	 &pv_lock,	   &hybrid_pv_lock,
	&cna_lock,    &queue_lock,     &queue_late_lock, &queue_bare_lock, &hybrid_lock,
	&tas_lock,    &tas_auto_lock,  &held_table_lock,
};

#define DIALECT (int)(sizeof(table) / sizeof(table[0]))

bool lock_has_c(void)
{
	return c_lock_table;
}

const struct lock_ops *lock_at(int i)
{
	if (i < DIALECT)
		return table[i];
	return lock_has_c() ? c_lock_table[i - DIALECT] : NULL;
}

const struct lock_ops *lock_find(const char *name)
{
	for (int i = 0; lock_at(i); i++)
		if (!strcmp(lock_at(i)->name, name))
			return lock_at(i);
	return NULL;
}

int lock_init(struct sim_lock *l, const struct lock_ops *ops, struct sim *s, int id)
{
	memset(l, 0, sizeof(*l));
	l->ops = ops;
	l->sim = s;
	l->id = id;
	line_init(&l->line, s, 0);
	l->word.line = &l->line;
	l->data.line = &l->line;
	l->state = calloc(s->ncpus, ops->state ? ops->state : 1);
	if (!l->state)
		return -ENOMEM;
	if (ops->init)
		ops->init(l);
	return 0;
}

void lock_done(struct sim_lock *l)
{
	if (l->ops->done)
		l->ops->done(l);
	line_free(&l->line);
	free(l->state);
}
