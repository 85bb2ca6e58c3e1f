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
 * The ring holds 4096 failures, in 1.2 MB; a longer burst between two reads of the
 * reader (10 ms) overwrites the oldest events, but their number by program, lock,
 * kind and line is kept. For more, define RQSPIN_RING_EVENTS as a higher power of
 * two before the first include: 16384 take 4.6 MB.
 *
 * Loaders that recognize only the exact name ".bss", such as cilium/ebpf, refuse the
 * section ".bss.rqspin". For them compile with -DRQSPIN_ZEROED='".data"': the memory
 * is the same, but its zeroes are in the object file.
 *
 * Idea: the kernel's flight recorders. Data that needs a helper is gathered
 * before the first lock, as no helper may be called later.
 */
#ifndef RQSPIN_RES_EVENTS_BPF_H
#define RQSPIN_RES_EVENTS_BPF_H

#include <bpf/bpf_core_read.h>
#include <rqspin/event.h>
#include <rqspin/res_spin_lock.bpf.h>

#define RQSPIN_HELD_MAX	     31 /* entries of the kernel's table */
#define RQSPIN_TASK_COMM_LEN 16

_Static_assert(RQSPIN_RING_EVENTS > 0 && !(RQSPIN_RING_EVENTS & (RQSPIN_RING_EVENTS - 1)),
	       "RQSPIN_RING_EVENTS must be a power of two");

struct rqspin_ring rqspin_ring SEC(RQSPIN_ZEROED ".rqspin");

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
 * struct res_scope - data that a report needs and only helpers provide
 * @ts_ns: CLOCK_MONOTONIC at res_scope_begin()
 * @task: current task
 * @held: this CPU's table of held locks, NULL if it cannot be found
 * @cpu: this CPU
 * @since: failing calls of this object so far, in all contexts
 * @prog: name of the program's function
 */
struct res_scope {
	__u64 ts_ns;
	struct task_struct___rqspin *task;
	struct rqspinlock_held___rqspin *held;
	__u64 cpu;
	__u64 since;
	char prog[RQSPIN_EVENT_NAME];
};

/* Finds the table without __ksym; struct rqspin_ring.held_delta explains why. */
static __always_inline struct rqspinlock_held___rqspin *
rqspin_own_held(struct task_struct___rqspin *task)
{
	__s64 delta = rqspin_ring.held_delta;
	__u64 rq;

	if (!delta || !bpf_ksym_exists(bpf_rdonly_cast) ||
	    !bpf_core_type_exists(struct rqspinlock_held___rqspin) ||
	    !bpf_core_field_exists(struct cfs_rq___rqspin, rq))
		return (void *)0;
	/* Copy the pointer: the verifier allows no arithmetic on a pointer with a known type. */
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
	scope->since = *(volatile __u64 *)&rqspin_ring.site_head;
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

/* The name is padded: rqspin_keep_site() copies RQSPIN_EVENT_FILE bytes of it. */
#define rqspin_site_const()                                                   \
	((const void *)({                                                     \
		static const struct {                                         \
			__u32 line;                                           \
			char file[sizeof(__FILE_NAME__) > RQSPIN_EVENT_FILE ? \
					  sizeof(__FILE_NAME__) :             \
					  RQSPIN_EVENT_FILE];                 \
		} rqspin_here = { __LINE__, __FILE_NAME__ };                  \
		&rqspin_here;                                                 \
	}))

#define rqspin_frame()                                      \
	({                                                  \
		void *rqspin_fp;                            \
		asm volatile("%0 = r10" : "=r"(rqspin_fp)); \
		rqspin_fp;                                  \
	})

/* A report finds its site by the lock and by the frame, which is near its scope on the stack. */
#undef rqspin_note_failure
#define rqspin_note_failure(lock_ptr) \
	rqspin_keep_site((__u64)(lock_ptr), rqspin_frame(), rqspin_site_const())

struct rqspin_place {
	__u32 line;
	char file[RQSPIN_EVENT_FILE];
};

static __attribute__((noinline, unused)) int rqspin_keep_site(__u64 lock, void *frame,
							      const struct rqspin_place *place)
{
	__u64 pos = __sync_fetch_and_add(&rqspin_ring.site_head, 1);
	struct rqspin_site *site = &rqspin_ring.sites[pos & (RQSPIN_RING_SITES - 1)];

	__sync_lock_test_and_set(&site->seq, 0);
	site->frame = (__u64)frame;
	site->lock = lock;
	site->line = place->line;
	__builtin_memcpy(site->file, place->file, sizeof(site->file));
	__sync_lock_test_and_set(&site->seq, pos + 1);
	return 0;
}

#define RQSPIN_SITES_SEARCHED 16   /* so many failing calls are compared with a report */
#define RQSPIN_FRAMES_MAX     4096 /* call and report are no further apart on the stack */

/* Use line and file of the lock call, if its site is still there, instead of the report's. */
static __always_inline void rqspin_use_site(struct rqspin_event *ev, __u64 since, __u64 lock,
					    __u64 stack)
{
	__u64 pos = __sync_fetch_and_add(&rqspin_ring.site_head, 0);
	__u32 line = ev->line;

	for (int i = 0; i < RQSPIN_SITES_SEARCHED && pos > since; i++, pos--) {
		struct rqspin_site *site = &rqspin_ring.sites[(pos - 1) & (RQSPIN_RING_SITES - 1)];

		if (__sync_fetch_and_add(&site->seq, 0) != pos || site->lock != lock ||
		    site->frame - stack + RQSPIN_FRAMES_MAX > 2 * RQSPIN_FRAMES_MAX)
			continue;
		ev->line = site->line;
		__builtin_memcpy(ev->file, site->file, sizeof(ev->file));
		if (__sync_val_compare_and_swap(&site->seq, pos, 0) == pos)
			return;
		ev->line = line;
		ev->file[0] = 0;
	}
}

static __always_inline struct rqspin_event *rqspin_reserve(__u64 *seq)
{
	__u64 pos;
	struct rqspin_event *ev;

	rqspin_ring.layout = RQSPIN_RING_LAYOUT;
	pos = __sync_fetch_and_add(&rqspin_ring.head, 1);
	ev = &rqspin_ring.slots[pos & (RQSPIN_RING_EVENTS - 1)];

	/* An exchange, not a store: a reader must never see the old number with the new fields. */
	__sync_lock_test_and_set(&ev->seq, 0);
	*seq = pos + 1;
	return ev;
}

/* Copies this CPU's table, then @also if it is not 0. Returns whether @lock is among them. */
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

/* Uses the errno and this CPU's table only: -EDEADLK without a complete table stays unknown. */
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
		ev->owner_tid = ev->tid;
	} else if (ev->err == -RQSPIN_EDEADLK && have_table) {
		ev->kind = RQSPIN_ABBA;
		ev->parties = 2;
	}
}

static __always_inline __u64 rqspin_mix(__u64 key, __u64 v)
{
	key = (key ^ v) * 0x9e3779b97f4a7c15ULL;
	return key ^ (key >> 29);
}

/* @text is a member of an event, so it is aligned. */
static __always_inline __u64 rqspin_mix_text(__u64 key, const void *text, int size)
{
	const __u64 *part = text;

#pragma unroll
	for (int i = 0; i < size / (int)sizeof(*part); i++)
		key = rqspin_mix(key, *(const volatile __u64 *)&part[i]);
	return key;
}

static __always_inline void rqspin_copy_text(void *to, const void *text, int size)
{
	__builtin_memcpy(__builtin_assume_aligned(to, 8), __builtin_assume_aligned(text, 8), size);
}

/* Does only the program report this failure? If the kernel was asked, the wait is unknown. */
static __always_inline __u64 rqspin_unasked(const struct rqspin_event *ev)
{
	return ev->wait_ns != RQSPIN_WAIT_UNKNOWN;
}

static __always_inline void rqspin_open_group(struct rqspin_group *g, const struct rqspin_event *ev)
{
	g->lock = ev->lock;
	g->ts_ns = ev->ts_ns;
	g->err = ev->err;
	g->kind = ev->kind;
	g->parties = ev->parties;
	g->cpu = ev->cpu;
	g->line = ev->line;
	g->unasked = rqspin_unasked(ev);
	rqspin_copy_text(g->prog, ev->prog, sizeof(g->prog));
	rqspin_copy_text(g->file, ev->file, sizeof(g->file));
	__sync_lock_test_and_set(&g->ready, 1);
	__sync_fetch_and_add(&rqspin_ring.groups_used, 1);
}

#define RQSPIN_GROUP_PROBES 8

/* Counted before it is published: readers of the event find it in its group's count. */
static __attribute__((noinline, unused)) int rqspin_count(struct rqspin_event *ev)
{
	__u64 unasked = rqspin_unasked(ev);
	__u64 key = rqspin_mix(ev->lock, unasked << 63 | (__u64)ev->kind << 32 | (__u32)ev->err);

	key = rqspin_mix(key, (__u64)ev->cpu << 32 | ev->line);
	key = rqspin_mix_text(key, ev->prog, sizeof(ev->prog));
	if (ev->file[0])
		key = rqspin_mix_text(key, ev->file, sizeof(ev->file));
	key |= 1;
	ev->group = 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < RQSPIN_GROUP_PROBES; i++) {
		__u32 nth = ((__u32)(key >> 32) + i) & (RQSPIN_RING_GROUPS - 1);
		struct rqspin_group *g = &rqspin_ring.groups[nth];
		__u64 old = __sync_val_compare_and_swap(&g->key, 0, key);

		if (old && old != key)
			continue;
		if (!old)
			rqspin_open_group(g, ev);
		ev->group = nth + 1;
		__sync_fetch_and_add(&g->count, 1);
		return 0;
	}
	if (unasked)
		__sync_fetch_and_add(&rqspin_ring.others_unasked, 1);
	__sync_fetch_and_add(&rqspin_ring.others, 1);
	return 0;
}

/* Fill in lock, task and call site. Scope and lock go through memory to become numbers, which the
 * verifier lets us compare.
 */
static __always_inline void rqspin_fill_call(struct rqspin_event *ev, struct res_scope *scope,
					     __u64 lock, int err, __u32 line)
{
	__u64 stack, address;

	*(volatile __u64 *)&ev->lock = (__u64)scope;
	stack = *(volatile __u64 *)&ev->lock;
	*(volatile __u64 *)&ev->lock = lock;
	address = *(volatile __u64 *)&ev->lock;
	ev->ts_ns = scope->ts_ns;
	ev->owner_wants = 0;
	ev->err = err;
	ev->line = line;
	ev->file[0] = 0;
	rqspin_use_site(ev, scope->since, address, stack);
	ev->nr_owner_held = RQSPIN_HELD_UNKNOWN;
	ev->owner_tid = RQSPIN_TID_UNKNOWN;
	rqspin_fill_task(ev, scope);
}

/* Not inlined: some 200 instructions that every failure branch would repeat otherwise. */
static __attribute__((noinline, unused)) int rqspin_report(struct res_scope *scope, __u64 lock,
							   int err, __u32 line, __u64 also)
{
	struct rqspin_event *ev;
	__u64 seq;
	bool own;

	ev = rqspin_reserve(&seq);
	rqspin_fill_call(ev, scope, lock, err, line);
	/* For a pair of one lock the kernel was not asked, and nothing waited. */
	ev->wait_ns = also == lock ? 0 : RQSPIN_WAIT_UNKNOWN;
	own = rqspin_copy_held(ev, scope->held, lock, also);
	/* A CPU that holds no lock is in no ABBA: the error may be for want of a queue node. */
	rqspin_classify(ev, scope->held && ev->nr_held && ev->nr_held <= RQSPIN_HELD_MAX, own);
#ifdef RQSPIN_FALLBACK_DETAIL
	/* The fallback lock, if it was asked, has recorded the kind, the owner and the wait. */
	if (also != lock)
		RQSPIN_FALLBACK_DETAIL(ev, scope->cpu);
#endif
	rqspin_count(ev);
	__sync_lock_test_and_set(&ev->seq, seq);
	return 0;
}

/*
 * The kernel does not track locks in arenas: its table lists neither this lock nor any other in an
 * arena. So the kind is a timeout, or not known.
 */
static __attribute__((noinline, unused)) int rqspin_report_arena(struct res_scope *scope,
								 __u64 lock, int err, __u32 line)
{
	struct rqspin_event *ev;
	__u64 seq;

	ev = rqspin_reserve(&seq);
	rqspin_fill_call(ev, scope, lock, err, line);
	ev->wait_ns = RQSPIN_WAIT_UNASKED;
	ev->nr_held = RQSPIN_HELD_UNKNOWN;
	rqspin_classify(ev, false, false);
	rqspin_count(ev);
	__sync_lock_test_and_set(&ev->seq, seq);
	return 0;
}

/**
 * res_scope_fail() - report a failed acquisition
 * @scope: filled by res_scope_begin()
 * @lock_ptr: the lock that was not acquired
 * @error: negative errno it returned
 *
 * Locks may still be held. Calls no helper, takes no lock, allocates nothing;
 * a full ring overwrites its oldest event, which is still counted in its group.
 */
#define res_scope_fail(scope, lock_ptr, error) \
	rqspin_report(scope, (__u64)(lock_ptr), error, __LINE__, 0)

/**
 * res_scope_fail_pair() - report a failed acquisition of a pair of locks
 * @scope: filled by res_scope_begin()
 * @pair: const struct res_pair *: filled by the failed res_pair_lock(), or
 *	res_guard_pair_failed()
 * @error: negative errno it returned
 *
 * As res_scope_fail() for the lock of the pair that failed. The other lock, if it
 * was held then and is released by now, is among the event's held locks. A pair
 * of one lock is an AA, though the kernel was never asked for it twice.
 */
#define res_scope_fail_pair(scope, pair, error)                      \
	rqspin_report(scope, (__u64)(pair)->failed, error, __LINE__, \
		      (pair)->failed == (pair)->second ? (__u64)(pair)->first : 0)

/**
 * res_scope_fail_arena() - report a failed acquisition of a lock in an arena
 * @scope: filled by res_scope_begin()
 * @lock_ptr: the lock, a pointer into the arena
 * @error: negative errno that the program's own lock function returned
 *
 * As res_scope_fail(), for the locks of res_arena.bpf.h and for any other lock in
 * an arena. -ETIMEDOUT is reported as a timeout, another errno with unknown kind:
 * only the program's own lock could determine more.
 */
#define res_scope_fail_arena(scope, lock_ptr, error) \
	rqspin_report_arena(scope, (__u64)(lock_ptr), error, __LINE__)

#endif /* RQSPIN_RES_EVENTS_BPF_H */
