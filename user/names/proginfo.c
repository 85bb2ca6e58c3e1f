// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "counted.h"
#include "names/arenaname.h"
#include "names/btfcache.h"
#include "base/clock.h"
#include "base/log.h"
#include "kernel/lockcalls.h"
#include "names/locktype.h"
#include "names/own.h"
#include "names/proginfo.h"
#include "rqspin/event.h"

#define SWEEP_NS 10000000000ULL
#define KEEP_NS	 30000000000ULL /* how long a program stays known after it is gone */

/* A run that began before its program was released may go on for a lock's time limit. */
#define LAST_RUN_NS 1000000000ULL
#define LOOK_NS	    100000000ULL /* between checks of all programs if unloads are not seen */
#define ASKED_MAX   1024	 /* programs that came and went, looked up per scan */

#define MISSED_MAX 256

struct proginfos {
	__u32 last_id;
	struct proginfo *progs; /* newest first */
	__u64 next_sweep;
	__u32 missed[MISSED_MAX];
	__u32 nr_missed; /* may exceed MISSED_MAX */
	struct proginfo_witness witness;
	__u64 scanned_ns; /* start of the last scan */
	__u64 next_look;
	bool in_doubt; /* since the last scan an unknown program came and went */
};

struct proginfos *proginfos_open(void)
{
	lockcalls_learn();
	return calloc(1, sizeof(struct proginfos));
}

static void prog_free(struct proginfo *p)
{
	if (p->full_name != p->name)
		free(p->full_name);
	free(p->map_ids);
	free(p->lines);
	free(p->arena);
	progaddr_free(&p->code);
	btfcache_put(p->btf);
	free(p);
}

void proginfos_close(struct proginfos *ps)
{
	if (!ps)
		return;
	for (struct proginfo *p = ps->progs, *next; p; p = next) {
		next = p->next;
		prog_free(p);
	}
	free(ps);
}

static void read_arrays(struct proginfo *p, int fd, const struct bpf_prog_info *head,
			struct bpf_func_info *func)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	p->map_ids = calloc(head->nr_map_ids + 1, sizeof(*p->map_ids));
	p->lines = calloc(head->nr_line_info + 1, sizeof(*p->lines));
	if (!p->map_ids || !p->lines)
		return;
	info.nr_map_ids = head->nr_map_ids;
	info.map_ids = (uintptr_t)p->map_ids;
	info.nr_line_info = head->nr_line_info;
	info.line_info_rec_size = sizeof(*p->lines);
	info.line_info = (uintptr_t)p->lines;
	info.nr_func_info = 1;
	info.func_info_rec_size = sizeof(*func);
	info.func_info = (uintptr_t)func;
	if (bpf_prog_get_info_by_fd(fd, &info, &len))
		return;
	p->nr_map_ids = head->nr_map_ids < info.nr_map_ids ? head->nr_map_ids : info.nr_map_ids;
	p->nr_lines =
		head->nr_line_info < info.nr_line_info ? head->nr_line_info : info.nr_line_info;
}

static char *func_name(const struct proginfo *p, const struct bpf_func_info *func)
{
	const struct btf_type *t;

	t = p->btf && func->type_id ? btf__type_by_id(p->btf, func->type_id) : NULL;
	return t ? strdup(btf__name_by_offset(p->btf, t->name_off)) : NULL;
}

/* load_time is in CLOCK_BOOTTIME, which continues while the machine sleeps. */
static __u64 born_ns(const struct bpf_prog_info *info)
{
	__u64 now = now_ns(), slept = now_boot_ns() - now;

	return info->load_time > slept ? info->load_time - slept : 0;
}

static struct proginfo *read_prog(__u32 id)
{
	struct bpf_prog_info info = {};
	struct bpf_func_info func = {};
	__u32 len = sizeof(info);
	struct proginfo *p;
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd < 0)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p || bpf_prog_get_info_by_fd(fd, &info, &len)) {
		free(p);
		close(fd);
		return NULL;
	}
	p->id = id;
	p->type = info.type;
	p->born_ns = born_ns(&info);
	p->seen_ns = now_ns();
	memcpy(p->name, info.name, sizeof(p->name));
	read_arrays(p, fd, &info, &func);
	progaddr_read(&p->code, fd);
	if (info.btf_id)
		p->btf = btfcache_get(info.btf_id);
	p->own = own_object(p->btf);
	p->locks = !p->own && proginfo_may_lock(p) && lockcalls_in(fd, id, info.xlated_prog_len);
	p->arena = arenaname_addrs_of(fd, info.xlated_prog_len, p->btf);
	close(fd);
	p->full_name = func_name(p, &func);
	if (!p->full_name)
		p->full_name = p->name;
	return p;
}

static bool is_gone(__u32 id)
{
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == ENOENT;
}

static bool brief_get(const struct proginfos *ps, __u32 id, struct proginfo_brief *brief)
{
	return ps->witness.brief && ps->witness.brief(ps->witness.ctx, id, brief);
}

/* Time at which a program that is gone ended. */
static __u64 end_of(const struct proginfos *ps, const struct proginfo *p, __u64 now)
{
	struct proginfo_brief brief;

	if (brief_get(ps, p->id, &brief) && brief.gone_ns)
		return brief.gone_ns + (ps->in_doubt ? 0 : LAST_RUN_NS);
	return ps->in_doubt ? p->seen_ns : now;
}

/*
 * A new program may get the memory of one that is gone, and failures there are not the old
 * program's. So checks which programs still exist.
 */
static void look_at_all(struct proginfos *ps, __u64 now)
{
	for (struct proginfo *p = ps->progs; p; p = p->next) {
		if (p->gone_ns)
			continue;
		if (is_gone(p->id))
			p->gone_ns = end_of(ps, p, now);
		else
			p->seen_ns = now;
	}
}

/* Programs that are long gone must not pile up. */
static void progs_sweep(struct proginfos *ps, __u64 now)
{
	if (now < ps->next_sweep)
		return;
	ps->next_sweep = now + SWEEP_NS;
	look_at_all(ps, now);
	for (struct proginfo **at = &ps->progs; *at;) {
		struct proginfo *p = *at;

		/*
		 * If this process was stopped for long, there may be unread failures of the
		 * program: keep it for one more round.
		 */
		if (!p->condemned || p->users) {
			p->condemned = p->gone_ns && now >= p->gone_ns + KEEP_NS;
			at = &p->next;
			continue;
		}
		*at = p->next;
		prog_free(p);
	}
}

static bool brief_code(struct proginfo *p, const struct proginfo_brief *b)
{
	p->code.funcs = calloc(b->nr_funcs + 1, sizeof(*p->code.funcs));
	p->code.sizes = calloc(b->nr_funcs + 1, sizeof(*p->code.sizes));
	if (!p->code.funcs || !p->code.sizes)
		return false;
	p->code.nr_funcs = b->nr_funcs;
	for (__u32 i = 0; i < b->nr_funcs; i++) {
		p->code.funcs[i] = b->starts[i];
		p->code.sizes[i] = b->sizes[i];
	}
	return true;
}

/* The program did not exist at the last scan, scanned_ns. */
static struct proginfo *brief_prog(const struct proginfo_brief *b, __u64 scanned_ns)
{
	struct proginfo *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->id = b->id;
	p->unread = true;
	p->own = own_name(b->name);
	p->born_ns = b->born_ns ?: scanned_ns;
	p->gone_ns = (b->gone_ns ?: now_ns()) + LAST_RUN_NS;
	snprintf(p->name, sizeof(p->name), "%.15s", b->name);
	p->full_name = strdup(b->name);
	if (p->full_name && brief_code(p, b))
		return p;
	free(p->full_name);
	progaddr_free(&p->code);
	free(p);
	return NULL;
}

/* The list is ordered, newest first. */
static void brief_add(struct proginfos *ps, struct proginfo *p)
{
	struct proginfo **at = &ps->progs;

	while (*at && (*at)->id > p->id)
		at = &(*at)->next;
	p->next = *at;
	*at = p;
}

static void ask_for(struct proginfos *ps, __u32 id)
{
	struct proginfo_brief brief;
	struct proginfo *p = NULL;

	if (brief_get(ps, id, &brief) && brief.name && brief.nr_funcs)
		p = brief_prog(&brief, ps->scanned_ns);
	if (p) {
		brief_add(ps, p);
		return;
	}
	pr_debug("program %u came and went unseen", id);
	ps->in_doubt = true;
}

/*
 * Programs that were gone before the first scan are skipped: it does not matter which memory they
 * had.
 */
static void ask_for_gap(struct proginfos *ps, __u32 first, __u32 end)
{
	if (!ps->scanned_ns)
		return;
	if (end - first > ASKED_MAX) {
		first = end - ASKED_MAX;
		ps->in_doubt = true;
	}
	for (; first < end; first++)
		ask_for(ps, first);
}

void proginfos_ask(struct proginfos *ps, const struct proginfo_witness *witness)
{
	ps->witness = *witness;
}

static void note_missed(struct proginfos *ps, __u32 id)
{
	if (ps->nr_missed < MISSED_MAX)
		ps->missed[ps->nr_missed] = id;
	if (ps->nr_missed <= MISSED_MAX)
		ps->nr_missed++;
}

/* Each program gets the next id: ids that were skipped belong to programs that are gone. */
static void note_gap(struct proginfos *ps, __u32 id)
{
	ask_for_gap(ps, ps->last_id + 1, id);
	for (__u32 gap = ps->last_id + 1; gap < id && ps->nr_missed <= MISSED_MAX; gap++)
		note_missed(ps, gap);
}

bool proginfos_next_missed(struct proginfos *ps, __u32 *id)
{
	if (!ps->nr_missed)
		return false;
	ps->nr_missed--;
	*id = ps->nr_missed < MISSED_MAX ? ps->missed[ps->nr_missed] : PROGINFO_MISSED_MANY;
	return true;
}

void proginfos_forget_missed(struct proginfos *ps)
{
	ps->nr_missed = 0;
}

/* All programs up to newest are known or gone. */
static void note_until(struct proginfos *ps, __u32 newest)
{
	if (newest <= ps->last_id)
		return;
	note_gap(ps, newest + 1);
	ps->last_id = newest;
}

/*
 * If unknown programs came and went, a program that is gone counts as loaded only up to the time
 * when it was last seen.
 */
static void scan_end(struct proginfos *ps, __u64 now)
{
	const struct proginfo_witness *w = &ps->witness;

	if (w->sees_all && now >= ps->next_look && !w->sees_all(w->ctx))
		ps->in_doubt = true;
	if (ps->in_doubt) {
		pr_debug("not all programs that came and went are known");
		look_at_all(ps, now);
		ps->next_look = now + LOOK_NS;
	}
	ps->in_doubt = false;
	progs_sweep(ps, now);
	ps->scanned_ns = now;
}

void proginfos_scan(struct proginfos *ps)
{
	__u64 now = now_ns();
	__u32 newest = ps->witness.newest ? ps->witness.newest(ps->witness.ctx) : 0;
	__u32 id = ps->last_id;

	/* Ids only grow, until they wrap after 2^31 programs. */
	while (!bpf_prog_get_next_id(id, &id)) {
		struct proginfo *p = read_prog(id);

		note_gap(ps, id);
		ps->last_id = id;
		if (!p) {
			ask_for_gap(ps, id, id + 1);
			note_missed(ps, id);
			continue;
		}
		p->next = ps->progs;
		ps->progs = p;
	}
	note_until(ps, newest);
	scan_end(ps, now);
}

const struct proginfo *proginfo_get(const struct proginfo *prog)
{
	if (prog)
		((struct proginfo *)prog)->users++;
	return prog;
}

void proginfo_put(const struct proginfo *prog)
{
	if (prog)
		((struct proginfo *)prog)->users--;
}

const struct proginfo *proginfos_first(const struct proginfos *ps)
{
	return ps->progs;
}

const struct proginfo *proginfos_by_id(struct proginfos *ps, __u32 id)
{
	if (id > ps->last_id)
		proginfos_scan(ps);
	for (const struct proginfo *p = ps->progs; p; p = p->next)
		if (p->id == id)
			return p;
	return NULL;
}

static bool was_there(const struct proginfo *p, __u64 when_ns)
{
	return !when_ns || (p->born_ns <= when_ns && (!p->gone_ns || p->gone_ns >= when_ns));
}

const struct proginfo *proginfo_by_addr(const struct proginfo *progs, __u64 addr, __u64 when_ns,
					__u32 *nth)
{
	/* Newest first: a newer program may use the memory of one that is gone. */
	for (const struct proginfo *p = progs; p; p = p->next)
		if (was_there(p, when_ns) && progaddr_find(&p->code, addr, nth))
			return p;
	return NULL;
}

bool proginfo_uses_map(const struct proginfo *prog, __u32 map_id)
{
	for (__u32 i = 0; i < prog->nr_map_ids; i++)
		if (prog->map_ids[i] == map_id)
			return true;
	return false;
}

/*
 * A program that calls the kfuncs, or has such a lock in an object, has the prototype or the type
 * in its BTF.
 */
bool proginfo_may_lock(const struct proginfo *prog)
{
	for (__u32 i = 0; !prog->btf && i < prog->nr_map_ids; i++)
		if (locktype_has_lock(prog->map_ids[i]))
			return true;
	return prog->btf && btf__find_by_name(prog->btf, "bpf_res_spin_lock") > 0;
}

bool proginfo_has_ring(const struct proginfo *prog)
{
	return prog->btf && btf__find_by_name_kind(prog->btf, "rqspin_ring", BTF_KIND_STRUCT) > 0;
}

static int recall_code(struct proginfo *p, const struct proginfo_was *was)
{
	p->code.funcs = calloc(1, sizeof(*p->code.funcs));
	p->code.sizes = calloc(1, sizeof(*p->code.sizes));
	if (!p->code.funcs || !p->code.sizes)
		return -ENOMEM;
	p->code.funcs[0] = was->start;
	p->code.sizes[0] = was->end - was->start;
	p->code.nr_funcs = 1;
	return 0;
}

static struct proginfo *recalled_new(const struct proginfo_was *was)
{
	struct proginfo *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->id = was->id;
	p->recalled = true;
	snprintf(p->name, sizeof(p->name), "%.15s", was->name);
	p->full_name = strdup(was->name);
	p->born_ns = p->gone_ns = was->when_ns;
	/* Kept as long as the recording. */
	p->users = 1;
	if (p->full_name && !recall_code(p, was))
		return p;
	free(p->full_name);
	progaddr_free(&p->code);
	free(p);
	return NULL;
}

/* Each function of a program that is gone has an entry of its own. */
static struct proginfo *recalled_find(const struct proginfos *ps, const struct proginfo_was *was)
{
	for (struct proginfo *p = ps->progs; p; p = p->next)
		if (p->id == was->id && (!p->recalled || p->code.funcs[0] == was->start))
			return p;
	return NULL;
}

int proginfos_recall(struct proginfos *ps, const struct proginfo_was *was)
{
	struct proginfo *p = recalled_find(ps, was);

	if (p && !p->recalled)
		return 0;
	/* The program was loaded at all times between its failures. */
	if (p) {
		p->born_ns = p->born_ns < was->when_ns ? p->born_ns : was->when_ns;
		p->gone_ns = p->gone_ns > was->when_ns ? p->gone_ns : was->when_ns;
		return 0;
	}
	p = recalled_new(was);
	if (!p)
		return -ENOMEM;
	p->next = ps->progs;
	ps->progs = p;
	return 0;
}

const struct proginfo *proginfos_by_map(struct proginfos *ps, __u32 map_id, const char *name)
{
	for (const struct proginfo *p = ps->progs; p; p = p->next)
		if (!strncmp(p->name, name, sizeof(p->name) - 1) && proginfo_uses_map(p, map_id))
			return p;
	return NULL;
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same_file(const char *path, const char *base)
{
	/* A program's own report has room for no more of the name. */
	size_t cut = RQSPIN_EVENT_FILE - 1;

	path = base_name(path);
	return strlen(base) == cut ? !strncmp(path, base, cut) : !strcmp(path, base);
}

__u32 proginfo_nth_line(const struct proginfo *prog, __u32 nth, char *base, size_t size)
{
	const struct bpf_line_info *l = nth < prog->nr_lines ? &prog->lines[nth] : NULL;

	if (!l || !prog->btf)
		return 0;
	snprintf(base, size, "%s", base_name(btf__name_by_offset(prog->btf, l->file_name_off)));
	return strcmp(base, COUNTED_FILE) ? BPF_LINE_INFO_LINE_NUM(l->line_col) : 0;
}

static bool is_in(const struct proginfo *prog, const struct bpf_line_info *l, const char *base)
{
	if (base && *base)
		return same_file(btf__name_by_offset(prog->btf, l->file_name_off), base);
	return l->file_name_off == prog->lines[0].file_name_off;
}

__u32 proginfo_first_line(const struct proginfo *prog, const char *base, __u32 line)
{
	__u32 first = 0;

	for (__u32 i = 0; prog && prog->btf && i < prog->nr_lines; i++) {
		__u32 at = BPF_LINE_INFO_LINE_NUM(prog->lines[i].line_col);

		if (at > first && at <= line && is_in(prog, &prog->lines[i], base))
			first = at;
	}
	return first ? first : line;
}

bool proginfo_line(const struct proginfo *prog, const char *base, __u32 line, const char **file,
		   const char **text)
{
	for (__u32 i = 0; prog && prog->btf && i < prog->nr_lines; i++) {
		const struct bpf_line_info *l = &prog->lines[i];

		if (BPF_LINE_INFO_LINE_NUM(l->line_col) != line || !is_in(prog, l, base))
			continue;
		*file = btf__name_by_offset(prog->btf, l->file_name_off);
		*text = btf__name_by_offset(prog->btf, l->line_off);
		while (**text == ' ' || **text == '\t')
			(*text)++;
		return true;
	}
	return false;
}
