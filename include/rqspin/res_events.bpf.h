/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Opt-in failure reports of a program's own, for `rqspin trace`: they work where
 * the kernel offers no other source, and with the fallback lock.
 *
 * Unlike the other headers this one defines a global, the ring of events: a
 * memory-mapped array map ".bss.rqspin". Include it once per object, after
 * res_spin_lock.bpf.h or res_spin_fallback.bpf.h, and use the macros in the
 * SEC() function itself, as they record that function's name.
 *
 *	struct res_scope scope;
 *
 *	res_scope_begin(&scope);
 *	err = res_spin_lock(&lock);
 *	if (err) {
 *		res_scope_fail(&scope, &lock, err);
 *		return err;
 *	}
 *
 * Idea: the kernel's flight recorders; all that needs a helper is gathered
 * before the first lock, as none may be called later.
 */
#ifndef RQSPIN_RES_EVENTS_BPF_H
#define RQSPIN_RES_EVENTS_BPF_H

#include <bpf/bpf_core_read.h>
#include <rqspin/event.h>
#include <rqspin/res_spin_lock.bpf.h>

#define RQSPIN_HELD_MAX	     31 /* entries of the kernel's table */
#define RQSPIN_TASK_COMM_LEN 16

struct rqspin_ring rqspin_ring SEC(".bss.rqspin");

/* Flavours: these compile with every vmlinux.h and are matched at load time. */
struct rqspinlock_held___rqspin {
	int cnt;
	void *locks[RQSPIN_HELD_MAX];
} __attribute__((preserve_access_index));

struct cfs_rq___rqspin {
	struct rq *rq;
} __attribute__((preserve_access_index));

struct sched_entity___rqspin {
	struct cfs_rq___rqspin *cfs_rq;
} __attribute__((preserve_access_index));

struct task_struct___rqspin {
	struct sched_entity___rqspin se;
	int pid;
	int tgid;
	char comm[RQSPIN_TASK_COMM_LEN];
} __attribute__((preserve_access_index));

extern void *bpf_rdonly_cast(const void *obj, unsigned int btf_id) __weak __ksym;

/**
 * struct res_scope - what a report needs and only helpers can tell
 * @ts_ns: CLOCK_MONOTONIC at res_scope_begin()
 * @task: current task
 * @held: this CPU's table of held locks, NULL if it cannot be found
 * @cpu: this CPU
 * @prog: name of the program's function
 */
struct res_scope {
	__u64 ts_ns;
	struct task_struct___rqspin *task;
	struct rqspinlock_held___rqspin *held;
	__u64 cpu;
	char prog[RQSPIN_EVENT_NAME];
};

/* See struct rqspin_ring.held_delta for why not simply by __ksym. */
static __always_inline struct rqspinlock_held___rqspin *
rqspin_own_held(struct task_struct___rqspin *task)
{
	__s64 delta = rqspin_ring.held_delta;
	__u64 rq;

	if (!delta || !bpf_ksym_exists(bpf_rdonly_cast) ||
	    !bpf_core_type_exists(struct rqspinlock_held___rqspin) ||
	    !bpf_core_field_exists(struct cfs_rq___rqspin, rq))
		return (void *)0;
	/* By copy: the verifier allows no arithmetic on a pointer it knows the type of. */
	if (bpf_core_read(&rq, sizeof(rq), &task->se.cfs_rq->rq))
		return (void *)0;
	return bpf_rdonly_cast((void *)(rq + delta),
			       bpf_core_type_id_kernel(struct rqspinlock_held___rqspin));
}

static __always_inline void rqspin_scope_begin(struct res_scope *scope)
{
	scope->ts_ns = bpf_ktime_get_ns();
	scope->cpu = bpf_get_smp_processor_id();
	scope->task = (void *)bpf_get_current_task_btf();
	scope->held = rqspin_own_held(scope->task);
}

/**
 * res_scope_begin() - prepare for reports about the locks taken next
 * @scope: struct res_scope *, on the stack
 *
 * Context: before the first lock; programs that may call
 * bpf_get_current_task_btf() (all types from 5.11 on, CAP_PERFMON).
 */
#define res_scope_begin(scope)                                                                    \
	do {                                                                                      \
		_Static_assert(sizeof((scope)->prog) == RQSPIN_EVENT_NAME, "struct res_scope *"); \
		__builtin_memset((scope)->prog, 0, RQSPIN_EVENT_NAME);                            \
		__builtin_memcpy((scope)->prog, __func__,                                         \
				 sizeof(__func__) < RQSPIN_EVENT_NAME ? sizeof(__func__) :        \
									RQSPIN_EVENT_NAME - 1);   \
		rqspin_scope_begin(scope);                                                        \
	} while (0)

static __always_inline struct rqspin_event *rqspin_reserve(__u64 *seq)
{
	__u64 pos = __sync_fetch_and_add(&rqspin_ring.head, 1);
	struct rqspin_event *ev = &rqspin_ring.slots[pos & (RQSPIN_RING_EVENTS - 1)];

	/* An exchange, not a store: a reader must never see the old number with the new fields. */
	__sync_lock_test_and_set(&ev->seq, 0);
	*seq = pos + 1;
	return ev;
}

/* Copies this CPU's table, then @also if there is one, and says whether @lock is among them. */
static __always_inline bool rqspin_copy_held(struct rqspin_event *ev,
					     struct rqspinlock_held___rqspin *held, __u64 lock,
					     __u64 also)
{
	bool found = also == lock;
	int cnt;

	ev->nr_held = RQSPIN_HELD_UNKNOWN;
	if (!held)
		return found;
	cnt = held->cnt;
	ev->nr_held = cnt + !!also;
#pragma unroll
	for (int i = 0; i < RQSPIN_HELD_MAX; i++) {
		__u64 entry = (__u64)held->locks[i];

		if (i >= cnt) {
			if (also && i < RQSPIN_EVENT_HELD)
				ev->held[i] = also;
			break;
		}
		if (i < RQSPIN_EVENT_HELD)
			ev->held[i] = entry;
		found |= entry == lock;
	}
	return found;
}

static __always_inline void rqspin_fill_task(struct rqspin_event *ev, struct res_scope *scope)
{
	struct task_struct___rqspin *task = scope->task;

	ev->cpu = scope->cpu;
	ev->pid = task->tgid;
	ev->tid = task->pid;
#pragma unroll
	for (int i = 0; i < RQSPIN_TASK_COMM_LEN; i++)
		ev->comm[i] = task->comm[i];
	__builtin_memcpy(ev->prog, scope->prog, RQSPIN_EVENT_NAME);
}

/* Only an errno and the own table are at hand here: -EDEADLK without a whole table stays unknown.
 */
static __always_inline void rqspin_classify(struct rqspin_event *ev, bool have_table, bool own)
{
	ev->kind = RQSPIN_UNKNOWN;
	ev->parties = 0;
	ev->owner_cpu = -1;
	if (ev->err == -RQSPIN_ETIMEDOUT) {
		ev->kind = RQSPIN_TIMEOUT;
	} else if (ev->err == -RQSPIN_EDEADLK && own) {
		ev->kind = RQSPIN_AA;
		ev->parties = 1;
		ev->owner_cpu = ev->cpu;
	} else if (ev->err == -RQSPIN_EDEADLK && have_table) {
		ev->kind = RQSPIN_ABBA;
		ev->parties = 2;
	}
}

/* Not inlined: some 200 instructions that every failure branch would repeat otherwise. */
static __attribute__((noinline, unused)) int rqspin_report(struct res_scope *scope, __u64 lock,
							   int err, __u32 line, __u64 also)
{
	struct rqspin_event *ev;
	__u64 seq;
	bool own;

	ev = rqspin_reserve(&seq);
	ev->ts_ns = scope->ts_ns;
	ev->wait_ns = ~0ULL;
	ev->lock = lock;
	ev->owner_wants = 0;
	ev->err = err;
	ev->line = line;
	ev->nr_owner_held = 0;
	rqspin_fill_task(ev, scope);
	own = rqspin_copy_held(ev, scope->held, lock, also);
	/* Without a lock of one's own there is no ABBA: an error for want of a queue node, say. */
	rqspin_classify(ev, scope->held && ev->nr_held && ev->nr_held <= RQSPIN_HELD_MAX, own);
#ifdef RQSPIN_FALLBACK_DETAIL
	/* The fallback lock knows the kind, the owner and the time it waited, if it was asked. */
	if (also != lock)
		RQSPIN_FALLBACK_DETAIL(ev, scope->cpu);
#endif
	__sync_lock_test_and_set(&ev->seq, seq);
	return 0;
}

/**
 * res_scope_fail() - report a failed acquisition
 * @scope: what res_scope_begin() filled
 * @lock_ptr: the lock that could not be had
 * @error: negative errno it returned
 *
 * Locks may still be held. Calls no helper, takes no lock, allocates nothing;
 * a full ring overwrites its oldest event, and readers notice.
 */
#define res_scope_fail(scope, lock_ptr, error) \
	rqspin_report(scope, (__u64)(lock_ptr), error, __LINE__, 0)

/**
 * res_scope_fail_pair() - report that a pair of locks could not be had
 * @scope: what res_scope_begin() filled
 * @pair: const struct res_pair *: what the failed res_pair_lock() left, or
 *	res_guard_pair_failed()
 * @error: negative errno it returned
 *
 * As res_scope_fail() for the lock of the two that failed; the other one, if it
 * was held then and is released by now, is among the event's held locks. A pair
 * of one lock is an AA, though the kernel was never asked for it twice.
 */
#define res_scope_fail_pair(scope, pair, error)                      \
	rqspin_report(scope, (__u64)(pair)->failed, error, __LINE__, \
		      (pair)->failed == (pair)->second ? (__u64)(pair)->first : 0)

#endif /* RQSPIN_RES_EVENTS_BPF_H */
