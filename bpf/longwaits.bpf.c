// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Long waits for resilient locks that end well, for the flight recorder. Most waits are short, and
 * most are for other locks: at first only lock and time are noted. The stack, which shows whose
 * lock it is, and the names are read when a wait has turned out to be long.
 */
#include <vmlinux.h>

#define WITNESS		struct witness_told
#define WITNESS_DETAILS struct witness_chain
#include "witness.h"
#include "witness.bpf.h"
#include "witness_names.bpf.h"
#include "slowpath.bpf.h"

#define WAITING 8 /* waits of one CPU that interrupt each other; power of two */

const volatile __u64 longer_ns;

/**
 * struct waiting - what one CPU waits for
 * @depth: entries of @now
 * @now: waits that go on, the innermost last
 * @stack: of the wait that has just ended
 */
struct waiting {
	__u64 depth;
	struct {
		__u64 lock, start_ns;
	} now[WAITING];
	__u64 stack[WITNESS_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct waiting);
} waiting SEC(".maps");

static const __u32 zero;

/* Takes the wait for this lock off the list; its beginning, 0 if that was not seen. */
static __always_inline __u64 waiting_end(struct waiting *w, __u64 lock)
{
	__u64 depth = w->depth, start;
	__u32 i;

	bpf_for(i, 0, WAITING) {
		__u64 at = depth - 1 - i;

		if (i >= depth)
			break;
		if (w->now[at & (WAITING - 1)].lock != lock)
			continue;
		/* The ends of those on top were missed. */
		if (i)
			witness_unsure();
		/* First read: an interrupt may use the place as soon as it is free. */
		start = *(volatile __u64 *)&w->now[at & (WAITING - 1)].start_ns;
		*(volatile __u64 *)&w->depth = at;
		return start;
	}
	return 0;
}

static __always_inline struct witness_chain *wait_stack(void *ctx, struct witness_place *at,
							struct witness *w)
{
	struct witness_chain *d = shape.want_stacks ? witness_details(at, w) : NULL;

	if (d)
		d->stack_len = bpf_get_stack(ctx, d->stack, sizeof(d->stack), 0);
	return d;
}

static __always_inline void wait_write(void *ctx, __u64 lock, __u64 ns, const struct waiting *w,
				       __s64 stack_len)
{
	struct witness_place at;
	struct witness_chain *d;
	struct witness_told *to;

	to = witness_reserve(&at);
	if (!to)
		return;
	to->w.kind = WITNESS_WAIT;
	to->w.lock = lock;
	to->w.wait_ns = ns;
	to->w.group = 0;
	to->owner.pid = WITNESS_NO_TASK;
	to->stack_len = stack_len;
	__builtin_memcpy(to->stack, w->stack, sizeof(to->stack));
	d = wait_stack(ctx, &at, &to->w);
	names_by_stack(names_begin(&at), to);
	witness_publish(&at, &to->w, d);
}

/* Attached before the other one: an end without a beginning is ignored. */
SEC("tp_btf/contention_end")
int BPF_PROG(rqspin_wait_ends, void *lock, int ret)
{
	struct waiting *w = bpf_map_lookup_elem(&waiting, &zero);
	__u64 start = w && w->depth ? waiting_end(w, (__u64)lock) : 0, ns;
	__s64 len;

	if (!start || ret)
		return 0;
	ns = bpf_ktime_get_ns() - start;
	/* The clock may go back a little. */
	if ((__s64)ns <= (__s64)longer_ns)
		return 0;
	__builtin_memset(w->stack, 0, sizeof(w->stack));
	len = bpf_get_stack(ctx, w->stack, sizeof(w->stack), 0);
	if (len < 0)
		witness_unsure();
	if (slowpath_on(w->stack))
		wait_write(ctx, (__u64)lock, ns, w, len);
	return 0;
}

SEC("tp_btf/contention_begin")
int BPF_PROG(rqspin_wait_begins, void *lock, unsigned int flags)
{
	struct waiting *w = flags == SLOWPATH_SPIN ? bpf_map_lookup_elem(&waiting, &zero) : NULL;
	__u64 depth;

	if (!w)
		return 0;
	/* A CPU does not wait twice for a lock: the end of an older wait for it was missed. */
	if (w->depth && waiting_end(w, (__u64)lock))
		witness_unsure();
	depth = w->depth;
	/* Ends were missed: begin anew. */
	if (depth >= WAITING) {
		witness_unsure();
		depth = 0;
	}
	w->now[depth & (WAITING - 1)].lock = (__u64)lock;
	w->now[depth & (WAITING - 1)].start_ns = bpf_ktime_get_ns();
	w->depth = depth + 1;
	return 0;
}
