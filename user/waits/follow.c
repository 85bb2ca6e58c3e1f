// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/out.h"
#include "base/stop.h"
#include "events/wake.h"
#include "waits/collect.h"
#include "waits/follow.h"
#include "waits/print.h"
#include "waits/table.h"
#include "waits/watch.h"

#define LOOK_MS 50 /* look at least so often */

/* Looks at once when a program is loaded, because many are gone again soon. */
static int waits_look(struct wait_watch *w, double duration)
{
	double over = now_s() + duration;
	int err = 0;

	while (!err && !stop_asked() && !(duration && now_s() >= over)) {
		err = wake_wait(w->wake, LOOK_MS);
		if (err)
			pr_err("waiting for programs: %s", strerror(-err));
		err = err ?: wait_watch_look(w);
	}
	waits_stop(w->waits);
	return err ?: wait_watch_look(w) ?: wait_table_sum(&w->table, w->waits);
}

static int waits_print(const struct wait_watch *w, const struct waits_opts *opts,
		       const char *missing, bool *lossy)
{
	__u64 dropped = waits_dropped(w->waits);

	*lossy = dropped || missing;
	if (!opts->folded)
		return (opts->json ? wait_print_json : wait_print_text)(&w->table, dropped,
									missing);
	if (dropped)
		pr_warn("%llu waits were dropped", (unsigned long long)dropped);
	if (missing)
		pr_warn("not seen: %s", missing);
	return wait_print_folded(&w->table);
}

int waits_follow(const struct waits_opts *opts, const char *missing, bool *lossy)
{
	struct wait_watch w;
	int err = wait_watch_open(&w, opts->scope, opts->no_addr);

	if (err)
		return err;
	stop_init();
	pr_info("counting waits");
	err = waits_look(&w, opts->duration);
	if (err == -ENOMEM)
		pr_err("out of memory");
	err = err ?: out_failed(waits_print(&w, opts, missing, lossy));
	wait_watch_close(&w);
	return err;
}
