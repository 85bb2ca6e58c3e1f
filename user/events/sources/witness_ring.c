// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cpus.h"
#include "held.h"
#include "events/sources/classify.h"
#include "events/sources/ring_reader.h"
#include "events/sources/witness_counts.h"
#include "events/sources/witness_ring.h"
#include "events/failure.h"

#define DETAILS_MIN 16

struct mapping {
	void *addr;
	size_t size;
};

struct witness_rings {
	struct witness_memory mem;
	struct ring_reader *readers;   /* one per CPU */
	struct witness_counts *counts; /* one per CPU */
	void *record, *details;	       /* copies, of one each */
	struct witness_names names;
	__u64 cut;
	struct mapping maps[WITNESS_NR_MAPS];
};

/**
 * struct reading - one CPU's ring, while it is read
 * @wr: all rings
 * @ring: index of the CPU's ring
 * @fn: gets the records
 * @ctx: its argument
 */
struct reading {
	struct witness_rings *wr;
	__u32 ring;
	witness_fn fn;
	void *ctx;
};

static const char *const map_names[WITNESS_NR_MAPS] = {
	[WITNESS_MAP_HEADS] = "heads",	   [WITNESS_MAP_RECORDS] = "witnesses",
	[WITNESS_MAP_DETAILS] = "details", [WITNESS_MAP_GROUPS] = "groups",
	[WITNESS_MAP_NAMES] = "names",
};

static int map_resize(struct bpf_object *obj, const char *name, __u64 entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);

	if (!map)
		return -ENOENT;
	return entries > UINT32_MAX ? -E2BIG : bpf_map__set_max_entries(map, entries);
}

static int present_cpus(int cpus[OPT_CPUS_MAX])
{
	int nr = cpus_present(cpus);

	if (nr > 0)
		return nr;
	nr = libbpf_num_possible_cpus();
	nr = nr < OPT_CPUS_MAX ? nr : OPT_CPUS_MAX;
	for (int i = 0; i < nr; i++)
		cpus[i] = i;
	return nr;
}

int witness_prepare(struct bpf_object *obj, struct witness_shape *shape,
		    const struct witness_room *room)
{
	int cpus[OPT_CPUS_MAX], nr = present_cpus(cpus), err;

	if (nr < 0)
		return nr;
	for (int i = 0; i < nr; i++)
		if (cpus[i] < HELD_CPUS)
			shape->ring_of[cpus[i]] = i + 1;
	shape->slots = room->buffer / WITNESS_FAILURE_ROOM;
	shape->details = shape->slots / room->fewer_details;
	if (shape->details < DETAILS_MIN)
		shape->details = DETAILS_MIN;
	err = map_resize(obj, map_names[WITNESS_MAP_HEADS], nr + 1);
	if (!err)
		err = map_resize(obj, map_names[WITNESS_MAP_RECORDS], (__u64)nr * shape->slots);
	if (!err)
		err = map_resize(obj, map_names[WITNESS_MAP_DETAILS], (__u64)nr * shape->details);
	if (!err && room->groups)
		err = map_resize(obj, map_names[WITNESS_MAP_GROUPS], (__u64)nr * WITNESS_GROUPS);
	if (!err && shape->want_names)
		err = map_resize(obj, map_names[WITNESS_MAP_NAMES], (__u64)nr * shape->slots);
	return err;
}

/* Allocates one copy of a record and of its details, and the state of each CPU. */
static bool make_room(struct witness_rings *wr)
{
	const struct witness_memory *mem = &wr->mem;
	size_t groups = WITNESS_GROUPS * mem->group_size;

	wr->readers = calloc(mem->nr, sizeof(*wr->readers));
	wr->counts = calloc(mem->nr, sizeof(*wr->counts));
	for (__u32 i = 0; wr->counts && i < mem->nr; i++)
		witness_counts_over(&wr->counts[i], &mem->heads[i + 1],
				    mem->groups ? mem->groups + i * groups : NULL, mem->group_size);
	wr->record = malloc(wr->mem.record_size);
	wr->details = malloc(wr->mem.details_size);
	return wr->readers && wr->counts && wr->record && wr->details;
}

struct witness_rings *witness_over(const struct witness_memory *mem)
{
	struct witness_rings *wr = calloc(1, sizeof(*wr));

	if (!wr)
		return NULL;
	wr->mem = *mem;
	if (make_room(wr))
		return wr;
	witness_close(wr);
	return NULL;
}

const char *witness_map_name(enum witness_map which)
{
	return map_names[which];
}

/**
 * struct view - one of the maps, in memory
 * @at: its first entry
 * @size: bytes from one entry to the next
 * @nr: entries
 */
struct view {
	const void *at;
	size_t size;
	__u32 nr;
};

/* 0 or -errno */
static int map_in(struct mapping *m, int fd, struct view *v)
{
	size_t page = sysconf(_SC_PAGESIZE), total;
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_map_get_info_by_fd(fd, &info, &len))
		return -errno;
	v->nr = info.max_entries;
	v->size = (info.value_size + 7UL) & ~7UL;
	total = (v->size * v->nr + page - 1) & ~(page - 1);
	m->addr = mmap(NULL, total, PROT_READ, MAP_SHARED, fd, 0);
	if (m->addr == MAP_FAILED) {
		m->addr = NULL;
		return -errno;
	}
	m->size = total;
	v->at = m->addr;
	return 0;
}

/* A map that was not resized has one entry. */
static int use_groups(struct witness_memory *mem, const struct view *v)
{
	if (v->nr == 1)
		return 0;
	if (v->nr != mem->nr * WITNESS_GROUPS)
		return -EPROTO;
	mem->groups = v->at;
	mem->group_size = v->size;
	return 0;
}

static int map_all(struct witness_rings *wr, const int fds[WITNESS_NR_MAPS])
{
	struct witness_memory *mem = &wr->mem;
	struct view v[WITNESS_NR_MAPS] = {};
	int err = 0;

	for (int i = 0; !err && i < WITNESS_NR_MAPS; i++)
		err = map_in(&wr->maps[i], fds[i], &v[i]);
	if (err)
		return err;
	if (v[WITNESS_MAP_HEADS].nr < 2 || v[WITNESS_MAP_HEADS].size != sizeof(*mem->heads))
		return -EPROTO;
	mem->nr = v[WITNESS_MAP_HEADS].nr - 1;
	mem->slots = v[WITNESS_MAP_RECORDS].nr / mem->nr;
	mem->nr_details = v[WITNESS_MAP_DETAILS].nr / mem->nr;
	if (!mem->slots || !mem->nr_details || use_groups(mem, &v[WITNESS_MAP_GROUPS]))
		return -EPROTO;
	mem->heads = v[WITNESS_MAP_HEADS].at;
	mem->records = v[WITNESS_MAP_RECORDS].at;
	mem->record_size = v[WITNESS_MAP_RECORDS].size;
	mem->details = v[WITNESS_MAP_DETAILS].at;
	mem->details_size = v[WITNESS_MAP_DETAILS].size;
	if (v[WITNESS_MAP_NAMES].nr != v[WITNESS_MAP_RECORDS].nr)
		return 0;
	mem->names = v[WITNESS_MAP_NAMES].at;
	mem->names_size = v[WITNESS_MAP_NAMES].size;
	return 0;
}

struct witness_rings *witness_open(const int fds[WITNESS_NR_MAPS])
{
	struct witness_rings *wr = calloc(1, sizeof(*wr));
	int err;

	if (!wr)
		return NULL;
	err = map_all(wr, fds);
	if (!err && make_room(wr))
		return wr;
	witness_close(wr);
	errno = err ? -err : ENOMEM;
	return NULL;
}

void witness_close(struct witness_rings *wr)
{
	int err = errno;

	if (!wr)
		return;
	for (int i = 0; i < WITNESS_NR_MAPS && wr->maps[i].addr; i++)
		munmap(wr->maps[i].addr, wr->maps[i].size);
	free(wr->readers);
	free(wr->counts);
	free(wr->record);
	free(wr->details);
	free(wr);
	errno = err;
}

/* Details begin with the number of the record that they belong to. */
static const void *details_of(struct reading *r, const struct witness *w)
{
	struct witness_rings *wr = r->wr;
	const struct witness_memory *mem = &wr->mem;
	__u64 nth;

	if (!w->details)
		return NULL;
	nth = (w->details - 1) % mem->nr_details + (__u64)r->ring * mem->nr_details;
	if (ring_copy(mem->details + nth * mem->details_size, w->seq - 1, wr->details,
		      mem->details_size))
		return wr->details;
	wr->cut++;
	return NULL;
}

static const struct witness_names *names_of(struct reading *r, const struct witness *w)
{
	const struct witness_memory *mem = &r->wr->mem;
	__u64 nth = (w->seq - 1) % mem->slots + (__u64)r->ring * mem->slots;

	if (!mem->names_size || !ring_copy(mem->names + nth * mem->names_size, w->seq - 1,
					   &r->wr->names, sizeof(r->wr->names)))
		return NULL;
	return &r->wr->names;
}

static void on_slot(const void *slot, void *ctx)
{
	const struct witness *w = slot;
	struct reading *r = ctx;

	witness_counts_saw(&r->wr->counts[r->ring], w->group);
	r->fn(w, details_of(r, w), names_of(r, w), r->ctx);
}

/* No new records, no holes, and all losses are accounted for. */
static bool ring_is_idle(const struct witness_rings *wr, __u32 ring)
{
	const struct ring_reader *r = &wr->readers[ring];

	return __atomic_load_n(&wr->mem.heads[ring + 1].head, __ATOMIC_RELAXED) == r->pos &&
	       !r->nr_holes && wr->counts[ring].all == r->lost;
}

/*
 * The number of losses and their groups are updated together. During a burst the counts are ahead
 * of the records that were read: the difference may be read next time.
 */
static void poll_one(struct witness_rings *wr, bool last, struct reading *reading)
{
	const struct witness_memory *mem = &wr->mem;
	struct ring_reader *r = &wr->readers[reading->ring];
	struct witness_counts *counts = &wr->counts[reading->ring];
	__u64 head;
	bool quiet = witness_counts_look(counts, &head);
	struct ring_view view = {
		.head = &mem->heads[reading->ring + 1].head,
		.until = &head,
		.slots = mem->records + (size_t)reading->ring * mem->slots * mem->record_size,
		.size = mem->record_size,
		.nr = mem->slots,
	};

	ring_read(r, &view, last, wr->record, on_slot, reading);
	if (last || !mem->groups || (quiet && !r->nr_holes && r->pos == head))
		witness_counts_settle(counts, r->lost);
}

void witness_poll(struct witness_rings *wr, bool last, witness_fn fn, void *ctx)
{
	for (__u32 ring = 0; ring < wr->mem.nr; ring++) {
		struct reading reading = { wr, ring, fn, ctx };

		if (last || !ring_is_idle(wr, ring))
			poll_one(wr, last, &reading);
	}
}

void witness_each(struct witness_rings *wr, witness_fn fn, void *ctx)
{
	const struct witness_memory *mem = &wr->mem;

	for (__u64 i = 0; i < mem->nr * mem->slots; i++) {
		struct reading reading = { wr, i / mem->slots, fn, ctx };
		const struct witness *w = (const void *)(mem->records + i * mem->record_size);
		__u64 seq = __atomic_load_n(&w->seq, __ATOMIC_ACQUIRE);

		if (seq && ring_copy(w, seq - 1, wr->record, mem->record_size))
			fn(wr->record, NULL, names_of(&reading, wr->record), ctx);
	}
}

__u64 witness_lost(const struct witness_rings *wr)
{
	__u64 lost = wr->mem.heads[0].others;

	for (__u32 ring = 0; ring < wr->mem.nr; ring++)
		lost += wr->counts[ring].all;
	return lost;
}

__u32 witness_groups_max(const struct witness_rings *wr)
{
	return wr->mem.nr * WITNESS_GROUPS;
}

__u64 witness_groups_used(const struct witness_rings *wr)
{
	__u64 used = 0;

	for (__u32 ring = 0; ring < wr->mem.nr; ring++)
		used += __atomic_load_n(&wr->mem.heads[ring + 1].groups, __ATOMIC_ACQUIRE);
	return used;
}

void witness_groups(const struct witness_rings *wr, witness_group_fn fn, void *ctx)
{
	for (__u32 i = 0; wr->mem.groups && i < witness_groups_max(wr); i++) {
		const struct witness_counts *c = &wr->counts[i / WITNESS_GROUPS];
		const struct witness_group *g = witness_counts_group(c, i % WITNESS_GROUPS);

		if (__atomic_load_n(&g->ready, __ATOMIC_ACQUIRE))
			fn((const struct witness *)(g + 1), i, c->lost[i % WITNESS_GROUPS], ctx);
	}
}

__u64 witness_cut(const struct witness_rings *wr)
{
	return wr->cut;
}

__u64 witness_unsure(const struct witness_rings *wr)
{
	return __atomic_load_n(&wr->mem.heads[0].unsure, __ATOMIC_RELAXED);
}

__u64 witness_written(const struct witness_rings *wr, __u64 *kept)
{
	__u64 written = __atomic_load_n(&wr->mem.heads[0].others, __ATOMIC_RELAXED);

	*kept = 0;
	for (__u32 ring = 0; ring < wr->mem.nr; ring++) {
		__u64 head = __atomic_load_n(&wr->mem.heads[ring + 1].head, __ATOMIC_RELAXED);

		written += head;
		*kept += head < wr->mem.slots ? head : wr->mem.slots;
	}
	return written;
}

static bool tables_complete(const struct witness_tables *t)
{
	for (__u32 i = 0; i < t->nr_tables; i++)
		if (t->tables[i].nr > WITNESS_LOCKS)
			return false;
	return !t->tables_left_out;
}

void witness_facts(const struct witness *w, struct failure *f)
{
	struct rqspin_event *ev = &f->ev;

	ev->ts_ns = w->ts_ns;
	ev->wait_ns = w->wait_ns;
	ev->err = w->err;
	ev->lock = w->lock;
	ev->cpu = w->cpu;
	ev->pid = w->pid;
	ev->tid = w->tid;
	memcpy(ev->comm, w->comm, sizeof(ev->comm));
	ev->comm[sizeof(ev->comm) - 1] = 0;
	f->map_id = w->map_id;
	f->returned = w->returned;
}

void witness_owner(const struct witness_task *t, struct failure *f)
{
	if (t->pid == WITNESS_NO_TASK)
		return;
	f->owner = (struct failure_task){ .known = true, .pid = t->pid, .tid = t->tid };
	memcpy(f->owner.comm, t->comm, sizeof(f->owner.comm));
	f->owner.comm[sizeof(f->owner.comm) - 1] = 0;
}

/* A CPU owns the locks in its own table. */
static void find_owner(const struct witness *w, const struct witness_tables *t, struct failure *f)
{
	__s32 owner = f->ev.owner_cpu;

	if (owner == (__s32)w->cpu)
		failure_owner_self(f);
	for (__u32 i = 0; t && i < t->nr_tables; i++)
		if (owner == (__s32)t->tables[i].cpu)
			witness_owner(&t->tables[i].task, f);
}

/* During its acquisition the attempted lock is in the table. */
static bool witness_attempting(const struct witness *w)
{
	return w->kind == WITNESS_CONTENTION && w->nr_own && w->nr_own <= HELD_ENTRIES;
}

/*
 * The tables of other CPUs are unknown. Of the CPU's own table at most the newest entries are
 * known.
 */
static void use_record(const struct witness *w, struct failure *f)
{
	struct rqspin_event *ev = &f->ev;
	__u32 kept = w->nr_own < WITNESS_NEWEST ? w->nr_own : WITNESS_NEWEST;

	ev->owner_cpu = -1;
	ev->nr_held = ev->nr_owner_held = HELD_UNKNOWN;
	ev->kind = w->told <= RQSPIN_NESTED ? w->told : RQSPIN_UNKNOWN;
	if (w->nr_own == WITNESS_NO_TABLE)
		return;
	ev->parties = ev->kind == RQSPIN_AA ? 1 : ev->kind == RQSPIN_ABBA ? 2 : 0;
	f->some_held = w->nr_own > WITNESS_NEWEST;
	ev->nr_held = kept - (kept && witness_attempting(w));
	memcpy(ev->held, w->locks, ev->nr_held * sizeof(ev->held[0]));
	if (ev->kind != RQSPIN_AA)
		return;
	ev->owner_cpu = ev->cpu;
	ev->nr_owner_held = ev->nr_held;
	f->some_owner_held = f->some_held;
	memcpy(ev->owner_held, ev->held, sizeof(ev->owner_held));
}

void witness_failure(const struct witness *w, const struct witness_tables *t, struct failure *f)
{
	witness_facts(w, f);
	if (t && w->nr_own != WITNESS_NO_TABLE) {
		struct tables all = { t->tables, t->nr_tables, tables_complete(t) };

		classify_event(&f->ev, &t->own, witness_attempting(w), &all);
		/* A map operation: it is unknown which lock of the map failed. */
		if (!f->ev.lock)
			f->ev.kind = w->told;
	} else {
		use_record(w, f);
		t = NULL;
	}
	find_owner(w, t, f);
}
