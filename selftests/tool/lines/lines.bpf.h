/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs whose lock calls fail at lines that are marked "at: NAME", NAME being the program; a
 * program that fails several times has several marks, in order. selftests/tool/cli/test_lines.py
 * runs and compares them. The files *_events.bpf.c are the same programs with reports of their own.
 */
#ifndef LINES_BPF_H
#define LINES_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#ifdef LINES_FALLBACK
#include <rqspin/res_spin_fallback.bpf.h>
#endif
#include <rqspin/res_lock_array.bpf.h>
#include <rqspin/res_lock_pair.bpf.h>
#include <rqspin/res_lock_rank.bpf.h>
#ifdef LINES_EVENTS
#include <rqspin/res_events.bpf.h>
#endif
#include "../../kernel/progs/may_loop.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

#ifdef LINES_EVENTS
#define scope_t			    struct res_scope
#define BEGIN(scope)		    res_scope_begin(scope)
#define FAIL(scope, lock, err)	    res_scope_fail(scope, lock, err)
#define FAIL_PAIR(scope, pair, err) res_scope_fail_pair(scope, pair, err)
#else
struct no_scope {
	int unused;
};
#define scope_t			    struct no_scope
#define BEGIN(scope)		    ((void)(scope))
#define FAIL(scope, lock, err)	    ((void)(scope), (void)(lock), (void)(err))
#define FAIL_PAIR(scope, pair, err) ((void)(scope), (void)(pair), (void)(err))
#endif

#ifdef LINES_FALLBACK
RES_FALLBACK_DEFINE;
#define lock_t __u32
#else
#define lock_t struct bpf_res_spin_lock
#endif

struct slot {
	lock_t lock;
	__u32 value;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

lock_t lock_a __hidden SEC(".data.lock_a");
lock_t lock_b __hidden SEC(".data.lock_b");

__u64 ready, holding;

static __always_inline struct slot *slot_of(__u32 i)
{
	return bpf_map_lookup_elem(&slots, &i);
}

struct meeting {
	__u64 *arrived, target;
};

#ifdef LINES_FALLBACK
/* Kernels that need the fallback may lack may_goto. */
#define MEET_STEPS (1U << 23)

static long has_met(__u32 i, struct meeting *m)
{
	return *(volatile __u64 *)m->arrived >= m->target;
}

static __always_inline bool wait_for(struct meeting *m)
{
	return bpf_loop(MEET_STEPS, has_met, m, 0) < MEET_STEPS;
}
#else
static __always_inline bool wait_for(const struct meeting *m)
{
	while (may_loop)
		if (*(volatile __u64 *)m->arrived >= m->target)
			return true;
	return false;
}
#endif

static __always_inline bool meet_of(__u64 *arrived, __u64 parties)
{
	struct meeting m = {
		.arrived = arrived,
		.target = (__sync_fetch_and_add(arrived, 1) / parties + 1) * parties,
	};

	return wait_for(&m);
}

static __always_inline bool meet_two(__u64 *arrived)
{
	return meet_of(arrived, 2);
}

char _license[] SEC("license") = "Dual BSD/GPL";

#endif
