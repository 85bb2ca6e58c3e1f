// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/clock.h"
#include "kernel/heldtab.h"
#include "kernel/ring_name.h"
#include "base/log.h"
#include "base/task.h"
#include "base/tree.h"
#include "names/proginfo.h"
#include "events/sources/ring.h"
#include "events/sources/event_valid.h"
#include "events/sources/ring_counts.h"
#include "events/sources/ring_reader.h"
#include "events/session.h"

#define GONE_CHECK_NS 1000000000ULL
#define LOADING_NS    2000000000ULL /* a new map's programs load by then, or are found later */

struct ring {
	__u32 map_id;
	struct rqspin_ring *mem; /* NULL: no program uses it now; reports may still come */
	size_t size;
	__u64 found_ns;
	__u64 head; /* at the last look */
	struct ring_view view;
	struct ring_reader reader;
	struct ring_counts counts;
	__u64 lost; /* as of the last time at which their groups were known, too */
	struct ring_source *source;
	bool foreign; /* of another layout: not read */
	struct ring *next;
};

static void ring_close(void *state);

struct ring_source {
	struct session *session;
	struct ring *rings;
	__u32 last_map;
	__u32 last_prog;
	bool started;  /* maps found from now on are newer than the session */
	bool unseen;   /* a ring was gone before it could be read */
	__u64 refused; /* records that no failure can have left */
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

/*
 * The number of events, which the author of the program chooses, by the size of the map. 0: another
 * layout.
 */
static __u64 nr_events(const struct bpf_map_info *info)
{
	size_t size = sizeof(struct rqspin_event);
	size_t rest = sizeof(struct rqspin_ring) - RQSPIN_RING_EVENTS * size;
	__u64 nr = info->value_size > rest ? (info->value_size - rest) / size : 0;

	return !(nr & (nr - 1)) && rest + nr * size == info->value_size ? nr : 0;
}

/* -ENOENT: it is no ring, or one that cannot be read; -EPROTO: of another layout. */
static int map_ring(struct ring *r, int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	__u64 nr;

	if (bpf_map_get_info_by_fd(fd, &info, &len) || !is_ring_name(info.name))
		return -ENOENT;
	r->map_id = info.id;
	nr = nr_events(&info);
	if (!nr)
		return -EPROTO;
	r->mem = mmap(NULL, info.value_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->mem == MAP_FAILED) {
		r->mem = NULL;
		return -ENOENT;
	}
	r->size = info.value_size;
	r->view = (struct ring_view){
		.head = &r->head,
		.slots = r->mem->slots,
		.size = sizeof(r->mem->slots[0]),
		.nr = nr,
	};
	ring_counts_over(&r->counts, r->mem, nr);
	return 0;
}

/* The program was compiled with other headers than ours. */
static void note_foreign(struct ring_source *rs, struct ring *r)
{
	pr_warn("map %u: its program was compiled with the headers of another release: compile it "
		"again; until then its own reports are NOT read here",
		r->map_id);
	rs->unseen = true;
	r->foreign = true;
}

/* Did a program with a ring use the map? Only the id of the map is known. */
static bool was_ring(struct ring_source *rs, __u32 id)
{
	const struct proginfo *p = proginfos_first(session_progs(rs->session));

	for (; p; p = p->next)
		if (proginfo_uses_map(p, id) && proginfo_has_ring(p))
			return true;
	return false;
}

/* Skips failures from before the session. */
static void skip_old(struct ring *r)
{
	ring_counts_look(&r->counts, &r->head);
	ring_counts_skip(&r->counts);
	r->reader.pos = r->head;
}

static void start_reading(struct ring_source *rs, struct ring *r)
{
	r->mem->held_delta = heldtab_delta();
	if (!rs->started && !session_tuning(rs->session)->pinned)
		skip_old(r);
	pr_debug("map %u: a ring of %llu self-reported failures", r->map_id, r->view.nr);
}

/* Closes fd: the mapping keeps the map. */
static void add_ring_of(struct ring_source *rs, int fd)
{
	struct ring *r = calloc(1, sizeof(*r));
	int err = r ? map_ring(r, fd) : -ENOMEM;

	close(fd);
	rs->unseen |= !r;
	if (err && err != -EPROTO) {
		free(r);
		return;
	}
	r->source = rs;
	r->found_ns = now_ns();
	r->next = rs->rings;
	rs->rings = r;
	if (err)
		note_foreign(rs, r);
	else
		start_reading(rs, r);
}

static void add_ring(struct ring_source *rs, __u32 id)
{
	int fd = bpf_map_get_fd_by_id(id);

	if (fd >= 0)
		add_ring_of(rs, fd);
	else
		rs->unseen |= rs->started && was_ring(rs, id);
}

static void find_rings(struct ring_source *rs)
{
	__u32 id = rs->last_map;

	while (!bpf_map_get_next_id(id, &id)) {
		rs->last_map = id;
		add_ring(rs, id);
	}
}

static void map_again(struct ring_source *rs, struct ring *r)
{
	int fd = bpf_map_get_fd_by_id(r->map_id);

	if (fd < 0 || map_ring(r, fd))
		rs->unseen = true;
	if (fd >= 0)
		close(fd);
}

/* A pinned map outlives its programs, and may come long before them. */
static void find_users(struct ring_source *rs)
{
	const struct proginfo *first = proginfos_first(session_progs(rs->session));

	for (const struct proginfo *p = first; p && p->id > rs->last_prog; p = p->next)
		for (struct ring *r = rs->rings; r; r = r->next)
			if (!r->mem && !r->foreign && proginfo_uses_map(p, r->map_id))
				map_again(rs, r);
	if (first && first->id > rs->last_prog)
		rs->last_prog = first->id;
}

/*
 * A recorder pins the rings of the programs that are loaded now, so that the rings outlive the
 * programs.
 */
static int ring_pin(const struct ring *r, const char *folder)
{
	char path[512];
	int fd, err;

	if (snprintf(path, sizeof(path), "%s/map_%u", folder, r->map_id) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = bpf_map_get_fd_by_id(r->map_id);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = bpf_obj_pin(fd, path) ? -errno : 0;
	close(fd);
	return err;
}

static int pin_rings(const struct ring_source *rs, const char *pins)
{
	char folder[480];
	int err = 0;

	snprintf(folder, sizeof(folder), "%s/%s", pins, source_ring.name);
	if (mkdir(folder, 0700))
		return -errno;
	for (const struct ring *r = rs->rings; !err && r; r = r->next)
		if (r->mem)
			err = ring_pin(r, folder);
	/* Other sources may go on. An incomplete folder must not be taken for a complete one. */
	if (err)
		tree_remove(folder, 0);
	return err;
}

static void *ring_open(struct session *s)
{
	struct ring_source *rs = calloc(1, sizeof(*rs));
	const char *pins = session_tuning(s)->pin;
	int err;

	if (!rs)
		return NULL;
	rs->session = s;
	find_rings(rs);
	rs->started = true;
	err = pins ? pin_rings(rs, pins) : 0;
	if (!err)
		return rs;
	ring_close(rs);
	errno = -err;
	return NULL;
}

/* The record has only the thread of the owner. */
static void find_owner(struct failure *f)
{
	__u32 tid = f->ev.owner_tid;

	if (f->ev.owner_cpu < 0 || tid == RQSPIN_TID_UNKNOWN)
		return;
	if (tid == f->ev.tid) {
		failure_owner_self(f);
		return;
	}
	f->owner = (struct failure_task){ .known = true, .tid = tid };
	task_find(tid, &f->owner.pid, f->owner.comm);
}

/* Sets the program of the failure, and the place in its source. */
static void ring_complete(struct failure *f, void *ctx)
{
	const struct ring *r = ctx;

	f->source = &source_ring;
	f->ev.comm[sizeof(f->ev.comm) - 1] = 0;
	f->ev.prog[sizeof(f->ev.prog) - 1] = 0;
	f->ev.file[sizeof(f->ev.file) - 1] = 0;
	memcpy(f->file, f->ev.file, sizeof(f->ev.file));
	f->report_line = !f->file[0];
	f->prog = proginfos_by_map(session_progs(r->source->session), r->map_id, f->ev.prog);
	f->prog_id = f->prog ? f->prog->id : 0;
	f->ev.line = proginfo_first_line(f->prog, f->file, f->ev.line);
}

static void ring_push(const void *slot, void *ctx)
{
	const struct rqspin_event *ev = slot;
	struct ring *r = ctx;
	struct failure f = { .ev = *ev, .unasked = ring_counts_unasked(ev) };

	/* A program may write anything into its ring: nothing in it can be trusted. */
	if (!event_valid(ev, now_ns())) {
		r->source->refused++;
		return;
	}
	ring_counts_saw(&r->counts, ev);
	if (f.ev.wait_ns == RQSPIN_WAIT_UNASKED)
		f.ev.wait_ns = WAIT_UNKNOWN;
	ring_complete(&f, r);
	if (f.ev.kind == RQSPIN_AA) {
		f.ev.owner_cpu = f.ev.cpu;
		f.ev.nr_owner_held = f.ev.nr_held;
		memcpy(f.ev.owner_held, f.ev.held, sizeof(f.ev.held));
	}
	find_owner(&f);
	session_push(r->source->session, &f);
}

/* A map of another layout may have a valid size all the same. */
static bool is_foreign(struct ring_source *rs, struct ring *r)
{
	if (!r->foreign && __atomic_load_n(&r->mem->head, __ATOMIC_ACQUIRE) &&
	    r->mem->layout != RQSPIN_RING_LAYOUT)
		note_foreign(rs, r);
	return r->foreign;
}

static void ring_drain(struct ring_source *rs, struct ring *r, bool last)
{
	struct rqspin_event copy;
	bool quiet;

	if (is_foreign(rs, r))
		return;
	/* The loader may have overwritten held_delta with the map's initial contents. */
	if (!r->mem->held_delta)
		r->mem->held_delta = heldtab_delta();
	quiet = ring_counts_look(&r->counts, &r->head);
	/* No writer left the head there: the number of missing events is unknown. */
	if (ring_read(&r->reader, &r->view, last, &copy, ring_push, r))
		rs->unseen = true;
	/* Losses during a burst are reported later, when their groups are known, too. */
	if (last || (quiet && !r->reader.nr_holes)) {
		ring_counts_settle(&r->counts, ring_complete, r);
		r->lost = r->reader.lost;
	}
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
	return !seen && now_ns() - r->found_ns < LOADING_NS;
}

static void ring_unmap(struct ring *r)
{
	if (r->mem)
		munmap(r->mem, r->size);
	r->mem = NULL;
}

static void ring_free(struct ring *r)
{
	ring_unmap(r);
	ring_counts_end(&r->counts);
	free(r);
}

static bool map_gone(__u32 id)
{
	int fd = bpf_map_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == ENOENT;
}

static bool has_users(const struct ring_source *rs, const struct ring *r)
{
	const struct proginfo *p = proginfos_first(session_progs(rs->session));

	while (p && !proginfo_uses_map(p, r->map_id))
		p = p->next;
	return p;
}

/* No more events come from the ring, and there is no loss left to report. */
static bool is_over(struct ring_source *rs, struct ring *r)
{
	if (r->mem || r->lost || !map_gone(r->map_id))
		return false;
	/*
	 * The ring stays as long as its programs are known, so that they count as covered. The
	 * references of the counts would keep the programs, so drop them.
	 */
	ring_counts_end(&r->counts);
	return !has_users(rs, r);
}

static void drop_unused(struct ring_source *rs)
{
	__u64 now = now_ns();

	if (now < rs->next_gone_check)
		return;
	rs->next_gone_check = now + GONE_CHECK_NS;
	for (struct ring **at = &rs->rings; *at;) {
		struct ring *r = *at;

		if (r->mem && !in_use(rs, r)) {
			ring_drain(rs, r, true);
			ring_unmap(r);
		}
		if (!is_over(rs, r)) {
			at = &r->next;
			continue;
		}
		pr_debug("map %u: its ring is gone", r->map_id);
		*at = r->next;
		ring_free(r);
	}
}

static void ring_poll(void *state, bool last)
{
	struct ring_source *rs = state;

	find_rings(rs);
	find_users(rs);
	for (struct ring *r = rs->rings; r; r = r->next)
		if (r->mem)
			ring_drain(rs, r, last);
	drop_unused(rs);
}

static __u64 ring_lost(void *state, bool *unknown)
{
	struct ring_source *rs = state;
	__u64 lost = rs->refused;

	*unknown |= rs->unseen;
	for (const struct ring *r = rs->rings; r; r = r->next)
		lost += r->lost;
	return lost;
}

/* Records that were not read or were refused may be of locks that the kernel was not asked for. */
static __u64 ring_lost_unasked(void *state, bool *unknown)
{
	struct ring_source *rs = state;
	__u64 lost = 0;

	*unknown |= rs->unseen || rs->refused;
	for (const struct ring *r = rs->rings; r; r = r->next)
		lost += r->lost < r->counts.lost_unasked ? r->lost : r->counts.lost_unasked;
	return lost;
}

static void ring_losses(void *state, loss_fn fn, void *ctx)
{
	const struct ring_source *rs = state;

	for (const struct ring *r = rs->rings; r; r = r->next)
		ring_counts_losses(&r->counts, r->lost, fn, ctx);
}

static void ring_close(void *state)
{
	struct ring_source *rs = state;

	if (rs->refused)
		pr_warn("refused %llu record%s in programs' own rings: no failure can look like that",
			rs->refused, rs->refused == 1 ? "" : "s");
	for (struct ring *r = rs->rings, *next; r; r = next) {
		next = r->next;
		ring_free(r);
	}
	free(rs);
}

/* If the program was loaded just now, its ring may not have been found yet. */
static enum source_cover ring_covers(void *state, const struct proginfo *prog)
{
	struct ring_source *rs = state;

	for (struct ring *r = rs->rings; r; r = r->next)
		if (proginfo_uses_map(prog, r->map_id))
			return COVER_YES;
	return proginfo_has_ring(prog) ? COVER_SOON : COVER_NO;
}

const struct source source_ring = {
	.name = "ring",
	.what = "programs that report their own failures",
	.rank = 5,
	.traits = SOURCE_SELF_REPORTS | SOURCE_PROG_MEMORY | SOURCE_RECORDS,
	.usable = ring_usable,
	.open = ring_open,
	.poll = ring_poll,
	.lost = ring_lost,
	.lost_unasked = ring_lost_unasked,
	.losses = ring_losses,
	.covers = ring_covers,
	.close = ring_close,
};
