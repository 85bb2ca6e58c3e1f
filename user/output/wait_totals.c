// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/duration.h"
#include "base/json_out.h"
#include "base/log.h"
#include "output/print_opts.h"
#include "output/wait_totals.h"

void wait_summary_text(const struct wait_totals *w)
{
	char longer[16];

	pr_info("%llu of %llu waits longer than %s shown, lost: %s%llu%s", w->shown, w->events,
		format_ns(w->longer_ns, longer), w->unknown ? "at least " : "", w->lost,
		w->unknown ? " (some waits were not timed)" : "");
	if (w->not_seen)
		pr_info("  not seen: %s", w->not_seen);
}

json_t *wait_totals_json(const struct wait_totals *w)
{
	json_t *j;

	if (!w->longer_ns)
		return json_null();
	j = json_object();
	json_object_set_new(j, "longer_than_ns", json_integer(w->longer_ns));
	json_object_set_new(j, "events", json_integer(w->events));
	json_object_set_new(j, "shown", json_integer(w->shown));
	json_object_set_new(j, "lost", json_integer(w->lost));
	json_object_set_new(j, "lost_unknown", json_boolean(w->unknown));
	json_object_set_new(j, "not_seen", json_text(w->not_seen));
	return j;
}
