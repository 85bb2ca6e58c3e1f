// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/json_out.h"
#include "base/out.h"
#include "events/recorder/holdings.h"
#include "events/recorder/recorder.h"
#include "output/record_view.h"
#include "output/wall_time.h"

#define SCHEMA "rqspin-record/1"

static json_t *holding_json(const struct holding *of)
{
	json_t *j = json_object();

	json_object_set_new(j, "source", json_text(of->source));
	json_object_set_new(j, "recorded", json_integer(of->written));
	json_object_set_new(j, "kept", json_integer(of->kept));
	json_object_set_new(j, "overwritten", json_integer(of->written - of->kept));
	json_object_set_new(j, "missed", json_integer(of->missed));
	json_object_set_new(j, "unsure", json_integer(of->unsure));
	return j;
}

static json_t *waits_json(const struct recorder_about *about, const struct holding *waits)
{
	json_t *j = about->longer_ns ? holding_json(waits) : NULL;

	if (!j)
		return json_null();
	json_object_del(j, "source");
	json_object_set_new(j, "longer_than_ns", json_integer(about->longer_ns));
	json_object_set_new(j, "not_seen", json_text(*about->not_seen ? about->not_seen : NULL));
	return j;
}

static void record_json(const struct recorder_about *about, const char *folder,
			const struct holdings *h)
{
	json_t *j = json_object(), *list = json_array();
	char since[40];

	wall_time(about->started_ns, true, since);
	for (int i = 0; i < h->nr; i++)
		json_array_append_new(list, holding_json(&h->of[i]));
	json_object_set_new(j, "schema", json_string(SCHEMA));
	json_object_set_new(j, "version", json_text(about->version));
	json_object_set_new(j, "since", json_string(since));
	json_object_set_new(j, "pid", json_integer(about->pid));
	json_object_set_new(j, "keep", json_integer(about->keep));
	json_object_set_new(j, "stacks", json_boolean(about->stacks));
	json_object_set_new(j, "folder", json_text(folder));
	json_object_set_new(j, "memory", json_integer(h->memory));
	json_object_set_new(j, "rings", json_integer(h->rings));
	json_object_set_new(j, "sources", list);
	json_object_set_new(j, "waits", waits_json(about, &h->waits));
	json_put_pretty(j);
}

static void holding_text(const struct holding *of, const char *what)
{
	printf("%-11s %llu recorded, %llu kept, %llu overwritten", of->source, of->written,
	       of->kept, of->written - of->kept);
	if (of->missed)
		printf(", %llu calls not seen", of->missed);
	if (of->unsure)
		printf(", %llu that may have been %s", of->unsure, what);
	putchar('\n');
}

static void record_text(const struct recorder_about *about, const char *folder,
			const struct holdings *h)
{
	char since[40], longer[16];

	wall_time(about->started_ns, true, since);
	printf("recording since %s, of each CPU: the last %u failures", since, about->keep);
	if (about->longer_ns)
		printf(", and the last %u waits longer than %s", about->keep,
		       format_ns(about->longer_ns, longer));
	puts(about->stacks ? ", with call traces" : "");
	for (int i = 0; i < h->nr; i++)
		holding_text(&h->of[i], "failures");
	if (about->longer_ns)
		holding_text(&h->waits, "long waits");
	if (*about->not_seen)
		printf("%-11s %s\n", "not seen", about->not_seen);
	if (h->rings)
		printf("%-11s memory of %u %s\n", "programs", h->rings,
		       h->rings == 1 ? "object that reports its own failures" :
				       "objects that report their own failures");
	printf("%-11s %.1f MiB, in %s\n", "memory", h->memory / 1048576.0, escaped(folder));
}

int record_view(const struct recorder_about *about, const char *folder, const struct holdings *h,
		bool json)
{
	(json ? record_json : record_text)(about, folder, h);
	return out_failed(out_flush());
}
