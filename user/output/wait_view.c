// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "base/json_out.h"
#include "base/out.h"
#include "output/failure_json.h"
#include "output/failure_text.h"
#include "output/lock_view.h"
#include "output/wait_view.h"
#include "output/wall_time.h"
#include "events/failure.h"

#define SCHEMA "rqspin-event/2"

int wait_text(const struct failure *f, const struct lock_view *v, bool stacks)
{
	char when[40];

	wall_time(f->ev.ts_ns, false, when);
	printf("%s %-8s ", when, "WAIT");
	failure_who_put(stdout, f);
	fputs(": got ", stdout);
	lock_view_put(stdout, v, f->ev.lock);
	printf("; waited %.3f ms\n", f->ev.wait_ns / 1e6);
	if (stacks)
		failure_stack_text(f);
	return out_state();
}

int wait_json(const struct failure *f, const struct lock_view *v, bool stacks)
{
	json_t *j = json_object();
	char when[40];

	wall_time(f->ev.ts_ns, true, when);
	json_object_set_new(j, "schema", json_string(SCHEMA));
	json_object_set_new(j, "type", json_string("wait"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "ts_ns", json_integer(f->ev.ts_ns));
	json_object_set_new(j, "wait_ns", json_integer(f->ev.wait_ns));
	failure_who_json(j, f);
	json_object_set_new(j, "lock", lock_view_json(v, f->ev.lock));
	json_object_set_new(j, "at", failure_at_json(f));
	json_object_set_new(j, "report", stacks ? json_text(f->report) : json_null());
	return json_put_line(j);
}
