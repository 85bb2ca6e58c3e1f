// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Failures of the locks of local storage and of arenas, where these are resilient. The deletion of
 * an owner's last element calls a function of the map type under the storage's lock, and a program
 * on that function wants the same lock. An arena counts its pages under its lock, so a hardware
 * breakpoint on that count does the same.
 */
/* Not every vmlinux.h declares these functions, and those that do use another pointer type. */
#define bpf_arena_alloc_pages theirs_to_alloc
#define bpf_arena_free_pages  theirs_to_free
#include "test_kfuncs.h"
#undef bpf_arena_alloc_pages
#undef bpf_arena_free_pages
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "storage_failures.h"

extern void *bpf_arena_alloc_pages(void *map, void *addr, __u32 pages, int node,
				   __u64 flags) __weak __ksym;
extern void bpf_arena_free_pages(void *map, void *addr, __u32 pages) __weak __ksym;

/* Newer than some headers. */
#define MAP_TYPE_CGRP_STORAGE 32
#define MAP_TYPE_ARENA	      33

#define STORAGE(type_)                                \
	struct {                                      \
		__uint(type, type_);                  \
		__uint(map_flags, BPF_F_NO_PREALLOC); \
		__type(key, int);                     \
		__type(value, __u64);                 \
	}

/* In the first one is the element that is deleted; the other wants to add one for the same owner.
 */
STORAGE(BPF_MAP_TYPE_TASK_STORAGE) task SEC(".maps"), task_other SEC(".maps");
STORAGE(MAP_TYPE_CGRP_STORAGE) cgrp SEC(".maps"), cgrp_other SEC(".maps");
STORAGE(BPF_MAP_TYPE_INODE_STORAGE) inode SEC(".maps"), inode_other SEC(".maps");
STORAGE(BPF_MAP_TYPE_SK_STORAGE) sk SEC(".maps"), sk_other SEC(".maps");

struct {
	__uint(type, MAP_TYPE_ARENA);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, ARENA_PAGES);
} arena SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} bell SEC(".maps");

/* Set by user space. armed: what this thread does next is done under the lock. */
__u32 tid, armed, opener;
__u32 arena_id;
__u64 wanted;
/* Results, as in map_failures.bpf.c. */
__u64 edeadlk, etimedout, refused, other, nested_ok, outer_failed;
__s64 other_err;
__u32 holding, release, missed;
__u64 nr_pages; /* its address */
__u64 pages;
/* A word that is written without the lock, and its address. */
__u64 unlocked, unlocked_at, unlocked_ok;
void *kept;

static __always_inline bool failures_enough(void)
{
	return edeadlk + etimedout + refused + other >= wanted;
}

static __always_inline void result_count(long err)
{
	if (!err) {
		__sync_fetch_and_add(&nested_ok, 1);
	} else if (err == -EDEADLK) {
		__sync_fetch_and_add(&edeadlk, 1);
	} else if (err == -ETIMEDOUT) {
		__sync_fetch_and_add(&etimedout, 1);
	} else {
		__sync_fetch_and_add(&other, 1);
		other_err = err;
	}
}

static __always_inline void pointer_count(const void *got)
{
	__sync_fetch_and_add(got ? &nested_ok : &refused, 1);
}

static __always_inline bool is_ours(void)
{
	return armed && (__u32)bpf_get_current_pid_tgid() == tid;
}

/* The element of the owner is created, and deleted under its lock. */
#define BELOW(type, owner)                                                     \
	SEC("?fentry/bpf_fentry_test1")                                        \
	int below_##type(void *ctx)                                            \
	{                                                                      \
		__u64 zero = 0;                                                \
                                                                               \
		if ((__u32)bpf_get_current_pid_tgid() != tid)                  \
			return 0;                                              \
		if (!bpf_##type##_storage_get(&type, owner, &zero,             \
					      BPF_LOCAL_STORAGE_GET_F_CREATE)) \
			outer_failed++;                                        \
		armed = 1;                                                     \
		if (bpf_##type##_storage_delete(&type, owner))                 \
			outer_failed++;                                        \
		armed = 0;                                                     \
		return 0;                                                      \
	}

#define want_both(type, owner)                                                           \
	do {                                                                             \
		pointer_count(bpf_##type##_storage_get(&type##_other, owner, NULL,       \
						       BPF_LOCAL_STORAGE_GET_F_CREATE)); \
		result_count(bpf_##type##_storage_delete(&type, owner));                 \
	} while (0)

#define this_task   bpf_get_current_task_btf()
#define this_cgroup bpf_get_current_task_btf()->cgroups->dfl_cgrp
/* A socket that every network namespace has. */
#define this_socket bpf_get_current_task_btf()->nsproxy->net_ns->rtnl

BELOW(task, this_task)
BELOW(cgrp, this_cgroup)
BELOW(sk, this_socket)

SEC("?fentry/task_storage_ptr")
int on_task(void *ctx)
{
	if (is_ours())
		want_both(task, this_task);
	return 0;
}

SEC("?fentry/cgroup_storage_ptr")
int on_cgrp(void *ctx)
{
	if (is_ours())
		want_both(cgrp, this_cgroup);
	return 0;
}

/* The kernel refuses the functions of socket storage here, but not on the update of an array. */
SEC("?fentry/bpf_sk_storage_ptr")
int on_sk(void *ctx)
{
	__u32 key = 0;

	if (is_ours())
		bpf_map_update_elem(&bell, &key, &key, BPF_ANY);
	return 0;
}

SEC("?fentry/array_map_update_elem")
int on_sk_bell(void *ctx)
{
	if (is_ours())
		want_both(sk, this_socket);
	return 0;
}

static __noinline bool owner_released(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&release)
			return true;
	}
	return false;
}

/* As in map_failures.bpf.c: longer than any limit, not for ever. */
static __always_inline void lock_hold(void)
{
	int i;

	if (*(volatile __u32 *)&release || holding)
		return;
	holding = 1;
	for (i = 0; i < 32; i++) {
		if (owner_released())
			return;
	}
	missed = 1;
}

/* User space sets the function. */
SEC("?fentry/task_storage_ptr")
int storage_stay(void *ctx)
{
	if (is_ours())
		lock_hold();
	return 0;
}

/* Only such programs have the functions of inode storage. */
SEC("?lsm/file_open")
int BPF_PROG(want_inode, struct file *file)
{
	if ((__u32)bpf_get_current_pid_tgid() == opener)
		want_both(inode, file->f_inode);
	return 0;
}

struct bpf_arena___own {
	__u64 nr_pages;
} __attribute__((preserve_access_index));

SEC("?iter/bpf_map")
int find_arena(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;

	if (map && map->id == arena_id)
		nr_pages = (__u64)map + bpf_core_field_offset(struct bpf_arena___own, nr_pages);
	return 0;
}

static __always_inline void *page_alloc(void)
{
	return bpf_arena_alloc_pages(&arena, NULL, 1, -1, 0);
}

SEC("?perf_event")
int on_arena(void *ctx)
{
	if (!failures_enough())
		pointer_count(page_alloc());
	return 0;
}

/* Where the lock is free the same program gets a page. */
SEC("?perf_event")
int on_unlocked(void *ctx)
{
	void *page = page_alloc();

	if (!page)
		return 0;
	unlocked_ok++;
	bpf_arena_free_pages(&arena, page, 1);
	return 0;
}

SEC("?perf_event")
int arena_stay(void *ctx)
{
	lock_hold();
	return 0;
}

/* These may sleep: only then a page is freed under the lock. */
SEC("?syscall")
int below_arena(void *ctx)
{
	void *page;

	unlocked_at = (__u64)&unlocked;
	*(volatile __u64 *)&unlocked += 1;
	page = page_alloc();
	if (page)
		bpf_arena_free_pages(&arena, page, 1);
	else
		outer_failed++;
	return 0;
}

SEC("?syscall")
int want_page(void *ctx)
{
	pointer_count(page_alloc());
	return 0;
}

SEC("?syscall")
int keep_page(void *ctx)
{
	kept = page_alloc();
	if (!kept)
		outer_failed++;
	return 0;
}

SEC("?syscall")
int free_kept(void *ctx)
{
	bpf_arena_free_pages(&arena, kept, 1);
	return 0;
}

SEC("?syscall")
int count_pages(void *ctx)
{
	bpf_probe_read_kernel(&pages, sizeof(pages), (void *)nr_pages);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
