// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "names/slowpaths.h"
#include "waits/collect.h"
#include "waits/scope.h"
#include "waits/sum.h"
#include "bpf/waits.skel.h"

struct waits {
	struct waits_bpf *skel;
	int nr_cpus;
	__u32 halves;
	__u32 reading; /* the half that user space reads */
	bool turned;   /* programs that begin now do not write into @reading any more */
	bool *idle;    /* one per CPU: nor do programs that had begun there */
	struct waits_entry *entries;
	size_t entries_size;
	struct waits_cpu *cpus;
	size_t cpus_size;
};

static int set_up(struct waits *w, struct ksyms *ks)
{
	if (!slowpaths_find(ks, w->skel->rodata->slow)) {
		pr_err("--waits: this kernel has no resilient locks, or hides their functions in "
		       "/proc/kallsyms");
		return -EOPNOTSUPP;
	}
	w->skel->rodata->halves = w->halves;
	bpf_map__set_max_entries(w->skel->maps.entries, w->nr_cpus * w->halves * WAITS_ENTRIES);
	bpf_map__set_max_entries(w->skel->maps.cpus, w->nr_cpus);
	return 0;
}

static size_t map_bytes(const struct bpf_map *map)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t size = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);

	return (size + page - 1) / page * page;
}

static int map_memory(struct waits *w)
{
	w->entries_size = map_bytes(w->skel->maps.entries);
	w->cpus_size = map_bytes(w->skel->maps.cpus);
	w->entries = mmap(NULL, w->entries_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  bpf_map__fd(w->skel->maps.entries), 0);
	w->cpus = mmap(NULL, w->cpus_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_map__fd(w->skel->maps.cpus), 0);
	return w->entries == MAP_FAILED || w->cpus == MAP_FAILED ? -errno : 0;
}

static void set_scope(struct waits *w, const struct wait_scope *scope)
{
	w->skel->rodata->by_cgroup = scope->by_cgroup;
	w->skel->rodata->only_cgroup = scope->id;
}

int waits_open(struct waits **waits, struct ksyms *ks, const struct wait_scope *scope, bool emptied)
{
	struct waits *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->nr_cpus = libbpf_num_possible_cpus();
	w->halves = emptied ? WAITS_HALVES : 1;
	w->idle = calloc(w->nr_cpus, sizeof(*w->idle));
	w->skel = waits_bpf__open();
	err = w->skel && w->idle ? set_up(w, ks) : -errno;
	if (err == -EOPNOTSUPP)
		goto fail;
	if (!err && scope)
		set_scope(w, scope);
	err = err ?: waits_bpf__load(w->skel);
	err = err ?: map_memory(w);
	err = err ?: waits_bpf__attach(w->skel);
	if (!err) {
		*waits = w;
		return 0;
	}
	pr_err("--waits: the contention tracepoints cannot be used: %s", strerror(-err));
	err = -EOPNOTSUPP;
fail:
	waits_close(w);
	return err;
}

void waits_close(struct waits *w)
{
	if (w->entries && w->entries != MAP_FAILED)
		munmap(w->entries, w->entries_size);
	if (w->cpus && w->cpus != MAP_FAILED)
		munmap(w->cpus, w->cpus_size);
	waits_bpf__destroy(w->skel);
	free(w->idle);
	free(w);
}

void waits_stop(struct waits *w)
{
	waits_bpf__detach(w->skel);
}

/* waits_add() of waits.bpf.c relies on this order: switch halves for all, then look at each CPU. */
bool waits_turn(struct waits *w)
{
	bool all = true;

	if (!w->turned) {
		__atomic_store_n(&w->skel->bss->half, 1 - w->reading, __ATOMIC_SEQ_CST);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		memset(w->idle, 0, w->nr_cpus * sizeof(*w->idle));
		w->turned = true;
	}
	for (int i = 0; i < w->nr_cpus; i++) {
		w->idle[i] |= !__atomic_load_n(&w->cpus[i].busy, __ATOMIC_SEQ_CST);
		all &= w->idle[i];
	}
	return all;
}

static struct waits_entry *entry_at(const struct waits *w, size_t i)
{
	size_t cpu = i / WAITS_ENTRIES, table = cpu * w->halves + w->reading;

	return &w->entries[table * WAITS_ENTRIES + i % WAITS_ENTRIES];
}

void waits_clear(struct waits *w)
{
	for (size_t i = 0; i < waits_room(w); i++) {
		struct waits_entry *e = entry_at(w, i);

		if (e->key)
			*e = (struct waits_entry){ 0 };
	}
	for (int i = 0; i < w->nr_cpus; i++)
		w->cpus[i].half[w->reading] = (struct waits_half){ 0 };
	/* What is written into the other half now is read the next time. */
	w->reading = 1 - w->reading;
	w->turned = false;
}

bool waits_crowded(const struct waits *w)
{
	__u32 half = w->skel->bss->half;

	for (int i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].half[half].used > WAITS_ENTRIES / 2)
			return true;
	return false;
}

const struct waits_entry *waits_at(const struct waits *w, size_t i)
{
	const struct waits_entry *e = entry_at(w, i);

	return __atomic_load_n(&e->ready, __ATOMIC_ACQUIRE) ? e : NULL;
}

void waits_others(const struct waits *w, struct waits_sum *others)
{
	*others = (struct waits_sum){ 0 };
	for (int i = 0; i < w->nr_cpus; i++)
		waits_sum_add(others, &w->cpus[i].half[w->reading].others);
}

size_t waits_room(const struct waits *w)
{
	return (size_t)w->nr_cpus * WAITS_ENTRIES;
}

/* The kernel skips a program that its own CPU is running already. */
static __u64 not_run(const struct bpf_program *prog)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	return bpf_prog_get_info_by_fd(bpf_program__fd(prog), &info, &len) ? 0 :
									     info.recursion_misses;
}

__u64 waits_dropped(const struct waits *w)
{
	__u64 nr = not_run(w->skel->progs.rqspin_wait) + not_run(w->skel->progs.rqspin_waited);

	for (int i = 0; i < w->nr_cpus; i++) {
		nr += w->cpus[i].dropped;
		if (w->halves == 1)
			nr += w->cpus[i].half[0].others.count;
	}
	return nr;
}
