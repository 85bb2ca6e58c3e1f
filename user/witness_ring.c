// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "classify.h"
#include "held.h"
#include "ring_slot.h"
#include "trace.h"
#include "witness_ring.h"

struct witness_rings {
	struct witness_ring *rings;
	__u64 *pos;
	int nr;
	__u64 lost;
};

int witness_prepare(struct bpf_map *map)
{
	int cpus = libbpf_num_possible_cpus();

	return cpus < 0 ? cpus : bpf_map__set_max_entries(map, cpus);
}

struct witness_rings *witness_over(struct witness_ring *rings, int nr)
{
	struct witness_rings *wr = calloc(1, sizeof(*wr));

	if (!wr)
		return NULL;
	wr->rings = rings;
	wr->nr = nr;
	wr->pos = calloc(nr, sizeof(*wr->pos));
	if (wr->pos)
		return wr;
	free(wr);
	return NULL;
}

struct witness_rings *witness_open(struct bpf_map *map)
{
	int nr = bpf_map__max_entries(map);
	size_t size = nr * sizeof(struct witness_ring);
	struct witness_ring *rings = mmap(NULL, size, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	struct witness_rings *wr;

	if (rings == MAP_FAILED)
		return NULL;
	wr = witness_over(rings, nr);
	if (!wr)
		munmap(rings, size);
	return wr;
}

void witness_close(struct witness_rings *wr)
{
	if (!wr)
		return;
	munmap(wr->rings, wr->nr * sizeof(*wr->rings));
	free(wr->pos);
	free(wr);
}

/* False: not written yet. */
static bool take(struct witness_rings *wr, int cpu, witness_fn fn, void *ctx)
{
	const struct witness_ring *ring = &wr->rings[cpu];
	__u64 pos = wr->pos[cpu];
	const struct witness *slot = &ring->slots[pos % WITNESS_SLOTS];
	enum ring_slot state = ring_slot_state(&slot->seq, pos, &ring->head, WITNESS_SLOTS);
	struct witness w;

	if (state == SLOT_EMPTY)
		return false;
	if (state == SLOT_READY)
		memcpy(&w, slot, sizeof(w));
	if (state == SLOT_READY && ring_slot_still(&slot->seq, pos))
		fn(&w, ctx);
	else
		wr->lost++;
	wr->pos[cpu]++;
	return true;
}

void witness_poll(struct witness_rings *wr, witness_fn fn, void *ctx)
{
	for (int cpu = 0; cpu < wr->nr; cpu++) {
		__u64 head = __atomic_load_n(&wr->rings[cpu].head, __ATOMIC_ACQUIRE);

		if (head - wr->pos[cpu] > WITNESS_SLOTS) {
			wr->lost += head - wr->pos[cpu] - WITNESS_SLOTS;
			wr->pos[cpu] = head - WITNESS_SLOTS;
		}
		while (wr->pos[cpu] < head && take(wr, cpu, fn, ctx))
			;
	}
}

__u64 witness_lost(const struct witness_rings *wr)
{
	return wr->lost;
}

__u64 witness_missed(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_program__fd(prog);

	return fd >= 0 && !bpf_prog_get_info_by_fd(fd, &info, &len) ? info.recursion_misses : 0;
}

static bool complete(const struct witness *w)
{
	for (__u32 i = 0; i < w->nr_tables; i++)
		if (w->tables[i].nr > WITNESS_LOCKS)
			return false;
	return !w->tables_left_out;
}

void witness_facts(const struct witness *w, struct failure *f)
{
	struct rqspin_event *ev = &f->ev;

	ev->ts_ns = w->ts_ns;
	ev->wait_ns = w->wait_ns;
	ev->cpu = w->cpu;
	ev->pid = w->pid;
	ev->tid = w->tid;
	memcpy(ev->comm, w->comm, sizeof(ev->comm));
	ev->comm[sizeof(ev->comm) - 1] = 0;
}

void witness_failure(const struct witness *w, struct failure *f)
{
	struct tables all = { w->tables, w->nr_tables, complete(w) };
	bool attempting;

	witness_facts(w, f);
	if (w->own.nr == WITNESS_NO_TABLE) {
		f->ev.owner_cpu = -1;
		f->ev.nr_held = HELD_UNKNOWN;
		if (f->ev.err == -ETIMEDOUT)
			f->ev.kind = RQSPIN_TIMEOUT;
		f->map_id = w->map_id;
		return;
	}
	/* In the middle of its acquisition the attempted lock still is in the table. */
	attempting = w->kind == WITNESS_CONTENTION && w->own.nr && w->own.nr <= HELD_ENTRIES;
	classify(&f->ev, &w->own, attempting, &all);
	f->map_id = w->map_id;
}
