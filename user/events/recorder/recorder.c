// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"
#include "kernel/probe.h"
#include "events/recorder/recorder.h"
#include "events/sources/longwaits.h"
#include "events/sources/table.h"
#include "events/sources/witness_pins.h"
#include "events/sources/witness_ring.h"
#include "events/filter.h"
#include "events/lineup.h"
#include "events/session.h"
#include "base/version.h"

#define META   "meta"
#define LAYOUT 1 /* change it when pinned data change, unless only their sizes do */

/* A sum of the layouts that this version reads, in memory that another one may have written. */
static __u32 recorder_layout(void)
{
	static const size_t sizes[] = {
		sizeof(struct witness_head),   sizeof(struct witness),
		sizeof(struct witness_told),   sizeof(struct witness_tables),
		sizeof(struct witness_report), sizeof(struct witness_chain),
		sizeof(struct witness_group),  WITNESS_GROUPS,
		sizeof(struct witness_names),
	};
	__u32 sum = LAYOUT;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		sum = sum * 31 + sizes[i];
	return sum;
}

const struct source *const *recorder_sources(void)
{
	static const struct source *found[LINEUP_MAX + 1];
	int nr = 0;

	for (size_t i = 0; trace_sources[i]; i++)
		if (source_is(trace_sources[i], SOURCE_RECORDS))
			found[nr++] = trace_sources[i];
	return found;
}

static void failure_ignore(const struct failure *f, void *ctx)
{
	(void)f;
	(void)ctx;
}

static int meta_path(char path[WITNESS_PINS_PATH], const char *folder)
{
	return snprintf(path, WITNESS_PINS_PATH, "%s/" META, folder) < WITNESS_PINS_PATH ?
		       0 :
		       -ENAMETOOLONG;
}

static int about_write(const char *folder, const struct recorder_about *about)
{
	char path[WITNESS_PINS_PATH];
	__u32 zero = 0;
	int fd, err;

	err = meta_path(path, folder);
	if (err)
		return err;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rqspin_meta", sizeof(zero), sizeof(*about), 1,
			    NULL);
	if (fd < 0)
		return -errno;
	err = bpf_map_update_elem(fd, &zero, about, BPF_ANY) || bpf_obj_pin(fd, path) ? -errno : 0;
	close(fd);
	return err;
}

/* The map of another version may be of any size. */
static int about_read(const char *folder, struct recorder_about *about)
{
	char path[WITNESS_PINS_PATH];
	struct bpf_map_info info = {};
	__u32 len = sizeof(info), zero = 0;
	int fd, err;

	err = meta_path(path, folder);
	if (err)
		return err;
	fd = bpf_obj_get(path);
	if (fd < 0)
		return -errno;
	err = bpf_map_get_info_by_fd(fd, &info, &len) ? -errno : 0;
	if (!err && (info.type != BPF_MAP_TYPE_ARRAY || info.value_size != sizeof(*about)))
		err = -EPROTO;
	if (!err && bpf_map_lookup_elem(fd, &zero, about))
		err = -errno;
	close(fd);
	if (!err && memcmp(about->magic, RECORDER_MAGIC, sizeof(RECORDER_MAGIC)))
		err = -EPROTO;
	about->version[sizeof(about->version) - 1] = 0;
	about->sources[sizeof(about->sources) - 1] = 0;
	about->not_seen[sizeof(about->not_seen) - 1] = 0;
	return err;
}

static void about_fill(struct recorder_about *about, const struct recorder_order *order,
		       const struct session *s)
{
	*about = (struct recorder_about){
		.magic = RECORDER_MAGIC,
		.layout = recorder_layout(),
		.keep = order->keep,
		.pid = getpid(),
		.stacks = order->stacks,
		.started_ns = now_ns(),
		.longer_ns = order->longer_ns,
		.version = RQSPIN_VERSION,
	};
	/* The newest maps are those that sources have just made, and nobody else's. */
	while (!bpf_map_get_next_id(about->newest_map, &about->newest_map))
		;
	if (order->not_seen)
		snprintf(about->not_seen, sizeof(about->not_seen), "%s", order->not_seen);
	session_sources(s, about->sources, sizeof(about->sources));
	for (char *c = about->sources; (c = strstr(c, ", ")); c++)
		memmove(c + 1, c + 2, strlen(c + 2) + 1);
}

/* The programs are pinned when the session has opened, and go on when it is closed. */
static int recorder_pin(const struct place *place, const struct recorder_order *order,
			struct recorder_about *about)
{
	const struct session_tuning tuning = {
		.buffer = order->keep * WITNESS_FAILURE_ROOM,
		.stacks = order->stacks,
		.pin = place->unfinished,
		.waits = order->longer_ns ? &source_longwaits : NULL,
		.longer_ns = order->longer_ns,
	};
	const struct trace_filter filter = {};
	struct session *s = session_open(recorder_sources(), order->sources, &filter, &tuning,
					 failure_ignore, NULL);
	int err;

	if (!s)
		return -errno;
	about_fill(about, order, s);
	if (session_needs_reports(s) && !session_blind(s))
		pr_warn("failures that a program does not report with res_events.bpf.h are NOT "
			"recorded with these sources, nor those of programs that are loaded later "
			"('rqspin doctor' says why the others do not work)");
	err = about_write(place->unfinished, about);
	if (err)
		pr_err("%s: %s", place->unfinished, strerror(-err));
	session_close(s);
	return err;
}

static int recorder_runs_already(const struct place *place)
{
	struct recorder_about about = {};

	if (about_read(place->whole, &about))
		pr_err("there is a recorder in %s already, of another version of rqspin: remove it "
		       "with 'rqspin record --stop'",
		       place->whole);
	else
		pr_err("a recorder runs already, started by process %u with %s: see it with "
		       "'rqspin record --status', remove it with 'rqspin record --stop'",
		       about.pid, about.sources);
	return -EEXIST;
}

static int recorder_make(struct place *place, const struct recorder_order *order,
			 struct recorder_about *about)
{
	int err;

	if (place_has_whole(place))
		return recorder_runs_already(place);
	if (place_has_unfinished(place))
		pr_warn("removing a recorder that a killed command left half-made");
	err = place_begin(place);
	if (!err)
		err = recorder_pin(place, order, about);
	if (!err && stop_asked()) {
		pr_err("interrupted: nothing was started");
		err = -EINTR;
	}
	if (!err)
		err = place_finish(place);
	if (err)
		place_remove(place);
	return err;
}

int recorder_start(const struct recorder_order *order, struct recorder_about *about)
{
	struct place place;
	int err;

	stop_init();
	err = probe_allowed() ? place_find(&place, order->bpffs) : -EOPNOTSUPP;

	if (!err)
		err = place_lock(&place);
	if (err)
		return err;
	err = recorder_make(&place, order, about);
	place_unlock(&place);
	return err;
}

int recorder_stop(const char *bpffs, bool *was)
{
	struct place place;
	int err = place_find(&place, bpffs);

	if (err)
		return err;
	*was = place_has_whole(&place) || place_has_unfinished(&place);
	if (!*was)
		return 0;
	err = place_lock(&place);
	if (err)
		return err;
	err = place_remove(&place);
	place_unlock(&place);
	return err;
}

static int recorder_missing(const struct place *place)
{
	if (place_has_unfinished(place))
		pr_err("a command that was killed has left a recorder half-made: remove it with "
		       "'rqspin record --stop'");
	else
		pr_err("no recorder runs: start one with 'rqspin record'");
	return -ENOENT;
}

int recorder_find(const char *bpffs, struct place *place, struct recorder_about *about)
{
	int err = place_find(place, bpffs);

	if (err)
		return err;
	if (!place_has_whole(place))
		return recorder_missing(place);
	err = about_read(place->whole, about);
	if (err == -EPERM || err == -EACCES) {
		pr_err("%s: not allowed to read the recorder; run it as root (sudo)", place->whole);
		return -EOPNOTSUPP;
	}
	if (!err && about->layout == recorder_layout())
		return 0;
	if (err && err != -EPROTO && err != -ENOENT)
		pr_err("%s: %s", place->whole, strerror(-err));
	else
		pr_err("the recorder was started by another version of rqspin%s%s, which reads it; "
		       "this is %s. Remove it with 'rqspin record --stop'",
		       err ? "" : ", ", err ? "" : about->version, RQSPIN_VERSION);
	return -EPROTO;
}
