// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/heldtab.h"
#include "names/ksyms.h"
#include "events/perf_rings.h"
#include "events/spinning.h"

#define LOOK_US	  2000
#define PERIOD_NS 50000
#define LATEST	  4 /* samples that count: a helper of the slow path may be a function of its own */

/* The samples of one CPU. */
struct seen {
	struct ksyms *ks;
	bool latest[LATEST]; /* in the slow path; the newest last */
};

struct record_sample {
	__u64 ip;
};

static __u64 lock_newest(const struct held_cpu *c)
{
	return c->nr && c->nr <= HELD_ENTRIES ? c->locks[c->nr - 1] : 0;
}

/* Does another CPU have the same newest lock? */
static bool is_disputed(const struct heldtab *ht, unsigned int cpu)
{
	__u64 lock = lock_newest(heldtab_cpu(ht, cpu));

	for (unsigned int c = 0; lock && c < heldtab_nr_cpus(ht); c++)
		if (c != cpu && lock_newest(heldtab_cpu(ht, c)) == lock)
			return true;
	return false;
}

static bool is_slow_path(struct ksyms *ks, __u64 ip)
{
	__u64 off;
	bool data;
	const char *name = ksyms_find(ks, ip, &off, &data);

	return name && !strncmp(name, "resilient_", strlen("resilient_"));
}

static void take_samples(void *ctx, const void *records, size_t size)
{
	struct seen *seen = ctx;
	const char *at = records, *end = at + size;
	const struct perf_event_header *h;

	for (; (size_t)(end - at) >= sizeof(*h); at += h->size) {
		h = (const void *)at;
		if (h->size < sizeof(*h) || h->size > end - at)
			return;
		if (h->type != PERF_RECORD_SAMPLE ||
		    h->size < sizeof(*h) + sizeof(struct record_sample))
			continue;
		memmove(seen->latest, seen->latest + 1, sizeof(seen->latest) - sizeof(bool));
		seen->latest[LATEST - 1] =
			is_slow_path(seen->ks, ((const struct record_sample *)(h + 1))->ip);
	}
}

static void take_rings(struct spinning *sp, struct perf_rings *rings, struct ksyms *ks)
{
	for (int ring = 0; ring < rings->nr; ring++) {
		struct seen seen = { .ks = ks };

		perf_rings_read(rings, ring, take_samples, &seen);
		for (int i = 0; i < LATEST; i++)
			sp->waits[rings->cpus[ring]] |= seen.latest[i];
	}
}

static void spinning_look(struct spinning *sp, const bool *asked)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_IP,
		.exclude_user = 1,
	};
	struct ksyms *ks = ksyms_open();
	struct perf_rings rings = { 0 };

	if (!ks || perf_rings_open(&rings, &attr, -1, asked)) {
		pr_debug("perf events are refused: it is not seen which CPUs wait");
	} else {
		usleep(LOOK_US);
		take_rings(sp, &rings, ks);
	}
	perf_rings_close(&rings);
	ksyms_close(ks);
}

/* Samples count only for CPUs whose newest lock has not changed. */
static int spinning_confirm(struct spinning *sp, struct heldtab *ht, const __u64 *before)
{
	int err = heldtab_snapshot(ht);

	for (unsigned int cpu = 0; cpu < heldtab_nr_cpus(ht); cpu++)
		sp->waits[cpu] &= lock_newest(heldtab_cpu(ht, cpu)) == before[cpu];
	return err;
}

int spinning_find(struct spinning *sp, struct heldtab *ht)
{
	unsigned int nr = heldtab_nr_cpus(ht);
	int cpus = libbpf_num_possible_cpus(); /* there may be more CPUs than tables */
	bool *asked = cpus > 0 ? calloc(cpus, sizeof(*asked)) : NULL, any = false;
	__u64 *before = calloc(nr, sizeof(*before));
	int err = 0;

	sp->waits = calloc(nr, sizeof(*sp->waits));
	if (!asked || !before || !sp->waits)
		err = -ENOMEM;
	for (unsigned int cpu = 0; !err && cpu < nr; cpu++) {
		before[cpu] = lock_newest(heldtab_cpu(ht, cpu));
		asked[cpu] = is_disputed(ht, cpu);
		any |= asked[cpu];
	}
	if (!err && any) {
		spinning_look(sp, asked);
		err = spinning_confirm(sp, ht, before);
	}
	free(asked);
	free(before);
	return err;
}

void spinning_free(struct spinning *sp)
{
	free(sp->waits);
	sp->waits = NULL;
}
