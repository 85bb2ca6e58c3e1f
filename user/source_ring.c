// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Programs that report their own failures to a memory-mapped ring (rqspin/res_events.bpf.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "clock.h"
#include "heldtab.h"
#include "log.h"
#include "proginfo.h"
#include "ring_slot.h"
#include "trace.h"

#define RING_MAP      ".bss.rqspin"
#define STUCK_NS      1000000000ULL /* a slot reserved but never filled: its writer is gone */
#define GONE_CHECK_NS 1000000000ULL

struct ring {
	__u32 map_id;
	struct rqspin_ring
		*mem;	   /* NULL: its programs are gone, reports about them may still come */
	__u64 pos;	   /* events consumed */
	__u64 stuck_since; /* 0: the next slot is not half-filled */
	struct ring *next;
};

struct ring_source {
	struct session *session;
	struct ring *rings;
	__u32 last_map;
	bool started; /* maps found from now on are newer than the session */
	bool unseen;  /* a ring was gone before it could be read */
	__u64 lost;
	__u64 next_gone_check;
};

static bool ring_usable(char *why, size_t size)
{
	__u32 id;

	if (!bpf_map_get_next_id(0, &id) || errno == ENOENT)
		return true;
	snprintf(why, size, "BPF maps cannot be listed: %s (run as root)", strerror(errno));
	return false;
}

static struct rqspin_ring *map_ring(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	void *mem;

	if (bpf_map_get_info_by_fd(fd, &info, &len) || strcmp(info.name, RING_MAP))
		return NULL;
	if (info.value_size < sizeof(struct rqspin_ring)) {
		pr_warn("map %u %s: its ring is of another layout; rebuild its programs with this "
			"release's headers",
			info.id, RING_MAP);
		return NULL;
	}
	mem = mmap(NULL, sizeof(struct rqspin_ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return mem == MAP_FAILED ? NULL : mem;
}

/* Did a program with a ring use the map, of which only the id is known? */
static bool was_ring(struct ring_source *rs, __u32 id)
{
	const struct proginfo *p = proginfos_first(session_progs(rs->session));

	for (; p; p = p->next)
		if (proginfo_uses_map(p, id) && proginfo_has_ring(p))
			return true;
	return false;
}

static void add_ring(struct ring_source *rs, __u32 id)
{
	int fd = bpf_map_get_fd_by_id(id);
	struct rqspin_ring *mem;
	struct ring *r;

	if (fd < 0) {
		rs->unseen |= rs->started && was_ring(rs, id);
		return;
	}
	mem = map_ring(fd);
	close(fd); /* the mapping keeps the map */
	if (!mem)
		return;
	r = calloc(1, sizeof(*r));
	if (!r) {
		rs->unseen = true;
		munmap(mem, sizeof(*mem));
		return;
	}
	mem->held_delta = heldtab_delta();
	r->map_id = id;
	r->mem = mem;
	r->pos = rs->started ? 0 : __atomic_load_n(&mem->head, __ATOMIC_ACQUIRE);
	r->next = rs->rings;
	rs->rings = r;
	pr_debug("map %u: a ring of self-reported failures", id);
}

static void find_rings(struct ring_source *rs)
{
	__u32 id = rs->last_map;

	while (!bpf_map_get_next_id(id, &id)) {
		rs->last_map = id;
		add_ring(rs, id);
	}
}

static void *ring_open(struct session *s)
{
	struct ring_source *rs = calloc(1, sizeof(*rs));

	if (!rs)
		return NULL;
	rs->session = s;
	find_rings(rs);
	rs->started = true;
	return rs;
}

static void push(struct ring_source *rs, const struct ring *r, const struct rqspin_event *ev)
{
	struct failure f = { .ev = *ev, .source = &source_ring };

	/* A ring is any program's memory: nothing in it is to be trusted. */
	if (f.ev.kind > RQSPIN_NESTED)
		f.ev.kind = RQSPIN_UNKNOWN;
	f.ev.comm[sizeof(f.ev.comm) - 1] = 0;
	f.ev.prog[sizeof(f.ev.prog) - 1] = 0;
	f.prog = proginfos_by_map(session_progs(rs->session), r->map_id, f.ev.prog);
	f.prog_id = f.prog ? f.prog->id : 0;
	if (f.ev.kind == RQSPIN_AA) {
		f.ev.owner_cpu = f.ev.cpu;
		f.ev.nr_owner_held = f.ev.nr_held;
		memcpy(f.ev.owner_held, f.ev.held, sizeof(f.ev.held));
	}
	session_push(rs->session, &f);
}

static bool stuck(struct ring *r)
{
	__u64 now = now_ns();

	if (!r->stuck_since)
		r->stuck_since = now;
	return now - r->stuck_since > STUCK_NS;
}

/* Take the event at r->pos; false if it is not there yet. */
static bool take(struct ring_source *rs, struct ring *r)
{
	struct rqspin_event *slot = &r->mem->slots[r->pos % RQSPIN_RING_EVENTS];
	enum ring_slot state =
		ring_slot_state(&slot->seq, r->pos, &r->mem->head, RQSPIN_RING_EVENTS);
	struct rqspin_event ev;

	if (state == SLOT_EMPTY && !stuck(r))
		return false;
	if (state == SLOT_READY)
		ev = *slot;
	if (state == SLOT_READY && ring_slot_still(&slot->seq, r->pos))
		push(rs, r, &ev);
	else
		rs->lost++; /* overwritten before or while we looked, or abandoned */
	r->stuck_since = 0;
	r->pos++;
	return true;
}

static void drain(struct ring_source *rs, struct ring *r)
{
	__u64 head = __atomic_load_n(&r->mem->head, __ATOMIC_ACQUIRE);

	/* The loader's first contents may have been written over ours. */
	if (!r->mem->held_delta)
		r->mem->held_delta = heldtab_delta();
	if (head - r->pos > RQSPIN_RING_EVENTS) {
		rs->lost += head - r->pos - RQSPIN_RING_EVENTS;
		r->pos = head - RQSPIN_RING_EVENTS;
	}
	while (r->pos < head && take(rs, r))
		;
}

static bool in_use(struct ring_source *rs, const struct ring *r)
{
	const struct proginfo *p = proginfos_first(session_progs(rs->session));
	bool seen = false;

	for (; p; p = p->next) {
		int fd;

		if (!proginfo_uses_map(p, r->map_id))
			continue;
		seen = true;
		fd = bpf_prog_get_fd_by_id(p->id);
		if (fd < 0)
			continue;
		close(fd);
		return true;
	}
	return !seen; /* its programs may be about to load */
}

static void drop_unused(struct ring_source *rs)
{
	__u64 now = now_ns();

	if (now < rs->next_gone_check)
		return;
	rs->next_gone_check = now + GONE_CHECK_NS;
	for (struct ring *r = rs->rings; r; r = r->next) {
		if (!r->mem || in_use(rs, r))
			continue;
		drain(rs, r);
		munmap(r->mem, sizeof(*r->mem));
		r->mem = NULL;
	}
}

static void ring_poll(void *state, bool last)
{
	struct ring_source *rs = state;

	(void)last;
	find_rings(rs);
	for (struct ring *r = rs->rings; r; r = r->next)
		if (r->mem)
			drain(rs, r);
	drop_unused(rs);
}

static __u64 ring_lost(void *state, bool *unknown)
{
	struct ring_source *rs = state;

	*unknown |= rs->unseen;
	return rs->lost;
}

static void ring_close(void *state)
{
	struct ring_source *rs = state;

	for (struct ring *r = rs->rings, *next; r; r = next) {
		next = r->next;
		if (r->mem)
			munmap(r->mem, sizeof(*r->mem));
		free(r);
	}
	free(rs);
}

bool source_ring_covers(void *state, const struct proginfo *prog)
{
	struct ring_source *rs = state;

	for (struct ring *r = rs->rings; r; r = r->next)
		if (proginfo_uses_map(prog, r->map_id))
			return true;
	return false;
}

const struct source source_ring = {
	.name = "ring",
	.what = "programs that report their own failures",
	.rank = 5,
	.usable = ring_usable,
	.open = ring_open,
	.poll = ring_poll,
	.lost = ring_lost,
	.close = ring_close,
};
