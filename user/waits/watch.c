// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "base/log.h"
#include "names/cgroupname.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "output/lock_view.h"
#include "events/wake.h"
#include "waits/collect.h"
#include "waits/scope.h"
#include "waits/watch.h"

int wait_watch_open(struct wait_watch *w, const struct wait_scope *scope, bool no_addr)
{
	int err;

	*w = (struct wait_watch){ .wake = wake_open(),
				  .progs = proginfos_open(),
				  .locks = locknames_open(),
				  .no_addr = no_addr };
	err = w->wake && w->progs && w->locks ? 0 : -ENOMEM;
	if (scope && scope->by_cgroup) {
		w->cgroups = cgroupnames_open(scope->root);
		err = w->cgroups ? err : -ENOMEM;
	}
	if (!err) {
		wake_witness(w->wake, w->progs);
		proginfos_scan(w->progs);
	}
	err = err ?: waits_open(&w->waits, locknames_ksyms(w->locks), scope, false);
	err = err ?: wait_table_init(&w->table, w->waits);
	if (err == -ENOMEM)
		pr_err("out of memory");
	if (err)
		wait_watch_close(w);
	return err;
}

void wait_watch_close(struct wait_watch *w)
{
	if (w->waits)
		waits_close(w->waits);
	wait_table_free(&w->table);
	cgroupnames_close(w->cgroups);
	locknames_close(w->locks);
	proginfos_close(w->progs);
	wake_close(w->wake);
	*w = (struct wait_watch){ 0 };
}

int wait_watch_look(struct wait_watch *w)
{
	struct lock_view view = { .names = w->locks, .no_addr = w->no_addr };

	/* In this order: a program that has waited by now was loaded before the scan. */
	wait_table_find(&w->table, w->waits);
	proginfos_scan(w->progs);
	proginfos_forget_missed(w->progs);
	locknames_scan(w->locks);
	if (w->cgroups)
		cgroupnames_scan(w->cgroups);
	view.progs = proginfos_first(w->progs);
	return wait_table_name(&w->table, w->waits, &view, w->cgroups);
}
