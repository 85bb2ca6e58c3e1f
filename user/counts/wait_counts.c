// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/heldtab.h"
#include "counts/wait_asked.h"
#include "counts/wait_counts.h"
#include "counts/wait_series.h"
#include "names/cgroupname.h"
#include "names/ksyms.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/filter.h"
#include "events/session.h"
#include "waits/collect.h"
#include "waits/drain.h"
#include "waits/sample.h"
#include "waits/scope.h"

#define DRAIN_S	     1	 /* naming a lock may take system calls */
#define FINISH_TRIES 100 /* each of them tries for a while */

struct wait_counts {
	const struct trace_filter *filter;
	const struct wait_scope *scope;
	bool elements;
	struct wait_histograms *series;
	struct waits *waits;
	struct locknames *names;     /* of the session, while it drains */
	struct cgroupnames *cgroups; /* NULL: not asked for */
	struct wait_histograms *sampled;
	struct wait_sample *sample; /* NULL: none yet, or never */
	__u64 nr_samples;
	enum waits_missing missing;
	double due;	/* now_s() */
	__u64 unplaced; /* waits for which no filter can decide whether they are asked for */
	bool out_of_memory;
};

static int counts_open(struct wait_counts *c)
{
	struct ksyms *ks;
	int err;

	if (c->scope->by_cgroup) {
		c->cgroups = cgroupnames_open(c->scope->root);
		if (!c->cgroups)
			return -ENOMEM;
	}
	ks = ksyms_open();
	err = ks ? waits_open(&c->waits, ks, c->scope, true) : -ENOMEM;
	ksyms_close(ks);
	return err;
}

int wait_counts_open(struct wait_counts **counts, const struct trace_filter *filter,
		     const struct wait_scope *scope, size_t max, bool elements)
{
	struct wait_counts *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	if (c) {
		c->series = wait_series_new(max);
		c->sampled = wait_series_new(max);
	}
	if (c && c->series && c->sampled) {
		c->filter = filter;
		c->scope = scope;
		c->elements = elements;
		c->missing = waits_missing_find();
		err = counts_open(c);
	}
	if (err == -ENOMEM)
		pr_err("out of memory");
	if (err)
		wait_counts_close(c);
	else
		*counts = c;
	return err;
}

void wait_counts_close(struct wait_counts *c)
{
	if (!c)
		return;
	if (c->waits)
		waits_close(c->waits);
	wait_series_free(c->series);
	wait_series_free(c->sampled);
	wait_sample_free(c->sample);
	cgroupnames_close(c->cgroups);
	free(c);
}

/* False: the lock is the tool's own. */
static bool lock_name(struct wait_counts *c, const struct wait_drained *d, char lock[SERIES_LOCK])
{
	struct lockname name;

	if (!locknames_find(c->names, d->lock, d->when_ns, d->prog, &name) && !name.path[0])
		lock[0] = 0;
	else if (c->elements && !name.internal)
		lockname_text(&name, true, lock, SERIES_LOCK);
	else
		lockname_text_common(&name, lock, SERIES_LOCK);
	return !name.own;
}

static bool drained_count(struct wait_counts *c, const struct wait_drained *d)
{
	const char *prog = d->prog ? d->prog->full_name : "";
	char lock[SERIES_LOCK], cgroup[CGROUP_NAME] = "";
	bool ok = true;

	if (!lock_name(c, d, lock))
		return true;
	if (c->cgroups)
		ok = !cgroupnames_find(c->cgroups, d->cgroup, cgroup);
	return wait_series_add(c->series, prog, lock, cgroup, d->sum) && ok;
}

static void on_drained(const struct wait_drained *d, void *ctx)
{
	struct wait_counts *c = ctx;
	bool ok = true;

	switch (wait_asked(c->filter, d, c->names)) {
	case WAIT_NOT_ASKED:
		break;
	case WAIT_ASKED:
		ok = d->lock ? drained_count(c, d) : wait_series_add_other(c->series, d->sum);
		break;
	case WAIT_ASKED_UNKNOWN:
		c->unplaced += d->sum->count;
		break;
	}
	c->out_of_memory |= !ok;
}

static bool counts_drain(struct wait_counts *c, struct session *s)
{
	c->names = session_locks(s);
	if (c->cgroups)
		cgroupnames_scan(c->cgroups);
	return waits_drain(c->waits, session_progs(s), c->names, on_drained, c);
}

bool wait_counts_update(struct wait_counts *c, struct session *s)
{
	if (counts_drain(c, s))
		c->due = now_s() + DRAIN_S;
	return !c->out_of_memory;
}

/* Both halves are drained, because the last waits may be in either of them. */
bool wait_counts_finish(struct wait_counts *c, struct session *s)
{
	int halves = WAITS_HALVES;

	waits_stop(c->waits);
	for (int i = 0; halves && i < FINISH_TRIES; i++)
		halves -= counts_drain(c, s);
	return !halves && !c->out_of_memory;
}

static void on_sampled(__u64 addr, unsigned int waiters, void *ctx)
{
	struct wait_counts *c = ctx;
	struct wait_drained d = { .lock = addr, .when_ns = now_ns() };
	struct waits_sum sum = { .count = waiters };
	char lock[SERIES_LOCK];

	if (wait_asked(c->filter, &d, c->names) == WAIT_ASKED && lock_name(c, &d, lock))
		c->out_of_memory |= !wait_series_add(c->sampled, "", lock, "", &sum);
}

/* The tables do not show in which program or cgroup a CPU waits. */
static bool counts_may_sample(const struct wait_counts *c, struct session *s)
{
	return c->missing != WAITS_ALL_SEEN && !c->filter->prog && !c->scope->cgroup &&
	       session_held(s);
}

static void counts_sample(struct wait_counts *c, struct session *s)
{
	if (!counts_may_sample(c, s))
		return;
	if (!c->sample)
		c->sample = wait_sample_new(heldtab_nr_cpus(session_held(s)));
	c->names = session_locks(s);
	if (!c->sample)
		c->out_of_memory = true;
	else
		c->nr_samples += wait_sample_take(c->sample, session_held(s), on_sampled, c);
}

const struct wait_histograms *wait_counts_sampled(const struct wait_counts *c, __u64 *samples)
{
	*samples = c->nr_samples;
	return c->sample ? c->sampled : NULL;
}

bool wait_counts_poll(struct wait_counts *c, struct session *s)
{
	counts_sample(c, s);
	return now_s() >= c->due || waits_crowded(c->waits) ? wait_counts_update(c, s) :
							      !c->out_of_memory;
}

const struct wait_histograms *wait_counts_series(const struct wait_counts *c)
{
	return c->series;
}

__u64 wait_counts_dropped(const struct wait_counts *c)
{
	return waits_dropped(c->waits) + c->unplaced;
}

enum waits_missing wait_counts_missing(const struct wait_counts *c)
{
	return c->missing;
}
