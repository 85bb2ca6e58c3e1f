// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>

#include "base/log.h"
#include "names/proginfo.h"
#include "events/perf_rings.h"
#include "events/wake.h"

struct wake {
	struct perf_rings rings;
	struct wake_names *names;
};

struct wake *wake_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.bpf_event = 1,
		.ksymbol = 1,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	struct wake *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	if (perf_rings_open(&w->rings, &attr, -1, NULL))
		pr_debug("perf events are refused: new programs are noticed by polling");
	w->names = wake_names_new(w->rings.nr);
	if (w->names)
		return w;
	wake_close(w);
	return NULL;
}

void wake_close(struct wake *w)
{
	if (!w)
		return;
	perf_rings_close(&w->rings);
	wake_names_free(w->names);
	free(w);
}

struct take {
	struct wake_names *names;
	int ring;
};

static void take_records(void *ctx, const void *records, size_t size)
{
	const struct take *t = ctx;

	wake_names_read(t->names, t->ring, records, size);
}

static void read_ring(struct wake *w, int nth)
{
	struct take t = { w->names, nth };

	perf_rings_read(&w->rings, nth, take_records, &t);
}

int wake_wait(struct wake *w, int ms)
{
	int n = poll(w->rings.fds, w->rings.nr, ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; n > 0 && i < w->rings.nr; i++)
		if (w->rings.fds[i].revents)
			read_ring(w, i);
	return 0;
}

static void read_rings(struct wake *w)
{
	for (int i = 0; i < w->rings.nr; i++)
		read_ring(w, i);
}

__u32 wake_newest_prog(struct wake *w)
{
	read_rings(w);
	return wake_names_newest(w->names);
}

bool wake_prog_name(struct wake *w, __u32 prog_id, char name[WAKE_NAME])
{
	const struct wake_prog *p;

	read_rings(w);
	p = wake_names_find(w->names, prog_id);
	if (p)
		memcpy(name, p->name, WAKE_NAME);
	return p;
}

static __u32 newest_of(void *wake)
{
	return wake_newest_prog(wake);
}

static bool brief_of(void *wake, __u32 id, struct proginfo_brief *brief)
{
	struct wake *w = wake;
	const struct wake_prog *p;

	read_rings(w);
	p = wake_names_noticed(w->names, id);
	if (!p)
		return false;
	*brief = (struct proginfo_brief){
		.id = p->id,
		.name = p->full_name,
		.born_ns = p->born_ns,
		.gone_ns = p->gone_ns,
		.starts = p->starts,
		.sizes = p->sizes,
		.nr_funcs = p->nr_funcs,
	};
	return true;
}

/* A CPU that came online later has no ring. */
static bool sees_all(void *ctx)
{
	struct wake *w = ctx;

	return w->rings.nr && w->rings.nr >= get_nprocs() && !wake_names_lost(w->names);
}

void wake_witness(struct wake *w, struct proginfos *progs)
{
	proginfos_ask(progs, &(struct proginfo_witness){ newest_of, sees_all, brief_of, w });
}
