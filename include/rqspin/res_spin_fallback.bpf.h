/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A resilient spin lock in plain BPF, for kernels without bpf_res_spin_lock().
 *
 * Include this instead of res_spin_lock.bpf.h (after vmlinux.h) and write
 * RES_FALLBACK_DEFINE; once per object. res_spin_lock() and its companions then
 * use the kfuncs where the kernel has them and this lock elsewhere, down to
 * Linux 5.17. The choice is made at load time and the other side is pruned.
 *
 * The lock word is 0 or the tag of its owner: task id and CPU. All contexts that
 * share a tag (a task and the interrupts on top of it) are strictly nested, so
 * "the tag is mine" is an AA deadlock at every instant, preemption or not.
 * A waiter publishes which lock it waits for; a deadlock is found by following
 * owner -> lock it waits for -> owner ... back to oneself, and is believed only
 * when a second walk finds the same waits. docs/backends.md explains why that
 * suffices.
 *
 * Limits compared with the kfunc: before Linux 6.10 preemption stays on while a
 * lock is held, interrupts always stay on, and the verifier does not check that
 * each lock is released (from 6.10 on it refuses a program that may exit with
 * more locks taken than released).
 */
#ifndef RQSPIN_RES_SPIN_FALLBACK_BPF_H
#define RQSPIN_RES_SPIN_FALLBACK_BPF_H

#include <bpf/bpf_helpers.h>
#include <rqspin/event.h>
#include <rqspin/res_fallback.h>
#ifdef RQSPIN_BACKEND_BOUND
#error "include res_spin_fallback.bpf.h before res_guard.bpf.h and what builds on it"
#endif
#define RQSPIN_FALLBACK_BACKEND
#include <rqspin/res_spin_lock.bpf.h>

/* Longest wait for one acquisition: ns while the waiter ran, up to 0.5 s; may be a variable. */
#ifndef RES_FALLBACK_TIMEOUT_NS
#define RES_FALLBACK_TIMEOUT_NS 250000000ULL
#endif

/* If the cycle still exists so many ns after a member should have failed, the next one fails. */
#ifndef RES_FALLBACK_GRACE_NS
#define RES_FALLBACK_GRACE_NS 10000000ULL
#endif

/* 0: leave preemption on even where it could be stopped, e.g. for long critical sections. */
#ifndef RES_FALLBACK_STOP_PREEMPTION
#define RES_FALLBACK_STOP_PREEMPTION 1
#endif

#define RES_FB_CPU_BITS	   10
#define RES_FB_CPU_MASK	   ((1U << RES_FB_CPU_BITS) - 1)
#define RES_FB_WALK_MIN_NS 1000ULL
#define RES_FB_WALK_MAX_NS 128000ULL
#define RES_FB_STACK_MAX   (128U << 10) /* no kernel stack is longer */
#define RES_FB_GAP_NS	   1000000ULL	/* a step that took longer was interrupted */
#define RES_FB_ROUNDS	   2
#define RES_FB_ROUND_STEPS (1U << 23) /* most that bpf_loop() takes */
#define RES_FB_LOOKS	   16	      /* looks at the lock word between two looks at the clock */

extern struct res_fb_state res_fb_state;

/**
 * RES_FALLBACK_DEFINE - put the wait records into this object
 *
 * Once per object, at file scope. They become a memory-mapped map named
 * ".bss.rqspin_fb" (".data.rqspin_fb", see RQSPIN_ZEROED in res_events.bpf.h). Objects
 * that share locks through pinned maps must share this map too; otherwise cycles
 * across them end by timeout, never wrongly.
 */
#define RES_FALLBACK_DEFINE struct res_fb_state res_fb_state SEC(RQSPIN_ZEROED ".rqspin_fb")

/* On the waiter's stack; constants until the verdict, so that the verifier follows one step. */
struct res_fb_wait {
	__u32 *word;
	struct res_fb_record *rec;
	__u64 start;
	__u64 now;
	__u64 lost; /* time in which the waiter itself did not run */
	__u32 me;
	__u32 cpu;
	__u32 owner;
	__u32 kind;
	__u32 parties;
	__u32 done;
};

enum res_fb_done { RES_FB_SPINNING, RES_FB_TAKEN, RES_FB_DEADLOCK, RES_FB_EXPIRED };

extern void bpf_preempt_disable(void) __weak __ksym;
extern void bpf_preempt_enable(void) __weak __ksym;

static __always_inline void res_fb_preempt_disable(void)
{
	if (RES_FALLBACK_STOP_PREEMPTION && bpf_ksym_exists(bpf_preempt_disable))
		bpf_preempt_disable();
}

static __always_inline void res_fb_preempt_enable(void)
{
	if (RES_FALLBACK_STOP_PREEMPTION && bpf_ksym_exists(bpf_preempt_enable))
		bpf_preempt_enable();
}

/* A plain volatile load may be reordered with later loads on weakly ordered CPUs; xchg may not. */
static __always_inline void res_fb_barrier(struct res_fb_record *rec)
{
	(void)__sync_lock_test_and_set(&rec->fence, 0);
}

static __always_inline __u32 res_fb_peek(const __u32 *word)
{
	return *(const volatile __u32 *)word;
}

static __always_inline __u64 res_fb_seq(const struct res_fb_record *rec)
{
	return *(const volatile __u64 *)&rec->seq;
}

/* Task ids are below 2^22. All idle tasks have id 0 and differ by their CPU. */
static __always_inline __u32 res_fb_make_tag(__u32 cpu, __u32 tid)
{
	return tid << RES_FB_CPU_BITS | ((cpu + 1) & RES_FB_CPU_MASK);
}

static __always_inline __u32 res_fb_tag(__u32 cpu)
{
	return res_fb_make_tag(cpu, bpf_get_current_task_btf()->pid);
}

static __always_inline __u32 res_fb_tag_cpu(__u32 tag)
{
	return (tag & RES_FB_CPU_MASK) - 1;
}

/*
 * Slots are searched by bpf_loop(): the index is then unknown to the verifier, so
 * that it follows one path through the lock and not one for each slot.
 */
struct res_fb_search {
	__u32 cpu;
	__u32 tag;
	__u64 found; /* slot, or RES_FB_SLOTS */
};

static __always_inline struct res_fb_record *res_fb_slot(__u32 cpu, __u64 i)
{
	/* The value compared must be the one used, or older verifiers see no bound. */
	barrier_var(i);
	if (cpu >= RES_FALLBACK_CPUS || i >= RES_FB_SLOTS)
		return NULL;
	return &res_fb_state.cpus[cpu].slots[i];
}

static __attribute__((unused)) long res_fb_mark_step(__u64 i, struct res_fb_search *s)
{
	struct res_fb_record *rec = res_fb_slot(s->cpu, i);

	if (rec && rec->tag == s->tag && (res_fb_seq(rec) & 1))
		(void)__sync_lock_test_and_set(&rec->seq, rec->seq + 1);
	return 0;
}

/*
 * A context that interrupts a wait of its own task and takes locks there looks
 * like the waiter to every other context. Mark the wait as unreliable before the
 * first such lock is taken; the waiter removes the mark when it runs again.
 */
static __noinline __attribute__((unused)) int res_fb_mark_interrupted(__u32 cpu, __u32 me)
{
	struct res_fb_search s = { .cpu = cpu, .tag = me };

	bpf_loop(RES_FB_SLOTS, res_fb_mark_step, &s, 0);
	return 0;
}

static __attribute__((unused)) long res_fb_claim_step(__u64 i, struct res_fb_wait *w)
{
	struct res_fb_record *rec = res_fb_slot(w->cpu, i);

	if (!rec || rec->tag || __sync_val_compare_and_swap(&rec->tag, 0, w->me))
		return 0;
	w->rec = rec;
	return 1;
}

/* Without a free slot the waiter has no record: it does not walk, and no walk passes it. */
static __always_inline void res_fb_claim(struct res_fb_wait *w)
{
	if (w->cpu >= RES_FALLBACK_CPUS)
		return;
	__sync_fetch_and_add(&res_fb_state.cpus[w->cpu].waiters, 1);
	bpf_loop(RES_FB_SLOTS, res_fb_claim_step, w, 0);
}

static __always_inline void res_fb_publish(struct res_fb_wait *w)
{
	struct res_fb_record *rec = w->rec;

	rec->lock = (__u64)w->word;
	rec->pass = 0;
	rec->next_walk = w->start;
	rec->interval = RES_FB_WALK_MIN_NS;
	rec->cycle_since = 0;
	rec->wants = 0;
	(void)__sync_lock_test_and_set(&rec->seq, rec->seq + 1);
}

static __always_inline void res_fb_withdraw(struct res_fb_wait *w)
{
	struct res_fb_record *rec = w->rec;

	if (rec) {
		if (res_fb_seq(rec) & 1)
			(void)__sync_lock_test_and_set(&rec->seq, rec->seq + 1);
		(void)__sync_lock_test_and_set(&rec->tag, 0);
	}
	if (w->cpu < RES_FALLBACK_CPUS)
		__sync_fetch_and_add(&res_fb_state.cpus[w->cpu].waiters, -1);
}

/* The walk found no cycle, or one that is no longer the same: look again later. */
static __always_inline long res_fb_walk_again(struct res_fb_wait *w, struct res_fb_record *rec)
{
	rec->pass = 0;
	rec->next_walk = w->now + rec->interval;
	if (rec->interval < RES_FB_WALK_MAX_NS)
		rec->interval *= 2;
	return 0;
}

static __always_inline long res_fb_walk_ends(struct res_fb_wait *w, struct res_fb_record *rec)
{
	rec->cycle_since = 0;
	return res_fb_walk_again(w, rec);
}

static __always_inline long res_fb_deadlock(struct res_fb_wait *w, __u32 owner, __u32 parties)
{
	w->owner = owner;
	w->parties = parties;
	w->kind = parties == 1 ? RQSPIN_AA : parties == 2 ? RQSPIN_ABBA : RQSPIN_CYCLE;
	w->done = RES_FB_DEADLOCK;
	return 1;
}

/* All members see the same cycle: the highest tag fails, the next one if that does not help. */
static __always_inline long res_fb_confirmed(struct res_fb_wait *w, struct res_fb_record *rec,
					     __u32 owner)
{
	if (!rec->cycle_since)
		rec->cycle_since = w->now;
	if (w->now - rec->cycle_since >= rec->higher * RES_FALLBACK_GRACE_NS)
		return res_fb_deadlock(w, owner, rec->parties);
	return res_fb_walk_again(w, rec);
}

static __attribute__((unused)) long res_fb_find_step(__u64 i, struct res_fb_search *s)
{
	struct res_fb_record *rec = res_fb_slot(s->cpu, i);

	if (!rec || *(volatile __u32 *)&rec->tag != s->tag || !(res_fb_seq(rec) & 1))
		return 0;
	s->found = i;
	return 1;
}

static __always_inline void res_fb_walk_begin(struct res_fb_record *rec, __u32 owner, __u32 pass)
{
	rec->pass = pass;
	rec->at = owner;
	rec->hop = 0;
	rec->higher = 0;
}

/*
 * Read the wait of the context that the walk has reached. Order matters: its
 * sequence number, then the lock it waits for, then (next hop) the following wait.
 * The word is probe-read: a program may not load a lock of another program.
 */
static __always_inline __u32 res_fb_next_owner(struct res_fb_record *rec, __u32 hop)
{
	struct res_fb_search s = { .cpu = res_fb_tag_cpu(rec->at),
				   .tag = rec->at,
				   .found = RES_FB_SLOTS };
	struct res_fb_record *other;
	__u64 seq, lock, id;
	__u32 next = 0;

	bpf_loop(RES_FB_SLOTS, res_fb_find_step, &s, 0);
	other = res_fb_slot(s.cpu, s.found);
	if (!other)
		return 0;
	seq = res_fb_seq(other);
	id = seq << 16 | s.cpu << 4 | s.found;
	res_fb_barrier(rec);
	lock = *(volatile __u64 *)&other->lock;
	if (!(seq & 1) || *(volatile __u32 *)&other->tag != s.tag)
		return 0;
	if (rec->pass == 1)
		rec->chain[hop] = id;
	else if (rec->chain[hop] != id)
		return 0;
	if (!hop)
		rec->wants = lock;
	if (bpf_probe_read_kernel(&next, sizeof(next), (void *)lock))
		return 0;
	res_fb_barrier(rec);
	return next;
}

/* One hop per step of the waiting loop, so that waiting goes on during the walk. */
static __noinline __attribute__((unused)) long res_fb_hop(struct res_fb_wait *w, __u32 owner)
{
	struct res_fb_record *rec = w->rec;
	__u32 hop, next;

	if (!rec)
		return 0;
	if (!rec->pass)
		res_fb_walk_begin(rec, owner, 1);
	hop = rec->hop;
	/* Walk from the owner just read: the lock may have changed hands since. */
	if (hop >= RES_FB_PARTIES || (!hop && owner != rec->at))
		return res_fb_walk_ends(w, rec);
	next = res_fb_next_owner(rec, hop);
	if (!next)
		return res_fb_walk_ends(w, rec);
	rec->higher += rec->at > w->me;
	if (next != w->me) {
		rec->at = next;
		rec->hop = hop + 1;
		return 0;
	}
	if (rec->pass == 2)
		return res_fb_confirmed(w, rec, owner);
	rec->parties = hop + 2;
	res_fb_walk_begin(rec, owner, 2);
	return 0;
}

/* Looks without writing first: a failing cmpxchg takes the cache line from the owner. */
static __always_inline __u32 res_fb_try(__u32 *word, __u32 me)
{
	__u32 i;

	for (i = 0; i < RES_FB_LOOKS; i++)
		if (!res_fb_peek(word))
			break;
	return __sync_val_compare_and_swap(word, 0, me);
}

/*
 * Interrupts have stacks of their own, on x86 and arm64 at least. The pointer goes
 * through memory to become a number; later kernels, where programs may have
 * stacks elsewhere, stop preemption instead and need none of this.
 */
static __always_inline bool res_fb_in_interrupt(struct res_fb_wait *w)
{
	struct res_fb_record *rec = w->rec;
	__u64 stack = (__u64)bpf_get_current_task_btf()->stack;

	if (!rec || bpf_ksym_exists(bpf_preempt_disable))
		return false;
	*(volatile __u64 *)&rec->fence = (__u64)w;
	return *(volatile __u64 *)&rec->fence - stack >= RES_FB_STACK_MAX;
}

/*
 * The owner is another task of this CPU, so it was preempted with the lock held.
 * It is tied to this CPU, as a running program is, and cannot go on before this
 * interrupt, which wants the lock, has ended: as final as AA.
 */
static __always_inline bool res_fb_owner_is_below(struct res_fb_wait *w, __u32 owner)
{
	return owner != w->me && !((owner ^ w->me) & RES_FB_CPU_MASK) && res_fb_in_interrupt(w);
}

/* Time in which the waiter or its virtual CPU was preempted does not count for the limit. */
static __always_inline void res_fb_tick(struct res_fb_wait *w)
{
	__u64 now = bpf_ktime_get_ns();

	if (now - w->now > RES_FB_GAP_NS)
		w->lost += now - w->now;
	w->now = now;
}

static __attribute__((unused)) long res_fb_step(__u64 i __attribute__((unused)),
						struct res_fb_wait *w)
{
	struct res_fb_record *rec = w->rec;
	__u32 owner = res_fb_try(w->word, w->me);

	if (!owner) {
		w->done = RES_FB_TAKEN;
		return 1;
	}
	res_fb_tick(w);
	if (owner == w->me)
		return res_fb_deadlock(w, owner, 1);
	if (res_fb_owner_is_below(w, owner)) {
		res_fb_deadlock(w, owner, 0);
		w->kind = RQSPIN_NESTED;
		return 1;
	}
	if (w->now - w->start - w->lost > RES_FALLBACK_TIMEOUT_NS) {
		w->owner = owner;
		w->kind = RQSPIN_TIMEOUT;
		w->done = RES_FB_EXPIRED;
		return 1;
	}
	if (!rec)
		return 0;
	if (!(res_fb_seq(rec) & 1))
		(void)__sync_lock_test_and_set(&rec->seq, rec->seq + 1);
	return rec->pass || w->now >= rec->next_walk ? res_fb_hop(w, owner) : 0;
}

static __always_inline void res_fb_note_failure(const struct res_fb_wait *w)
{
	struct res_fb_failure *last;

	if (w->cpu >= RES_FALLBACK_CPUS)
		return;
	last = &res_fb_state.cpus[w->cpu].last;
	last->lock = (__u64)w->word;
	last->wait_ns = w->now - w->start;
	last->owner_wants = w->rec && w->done == RES_FB_DEADLOCK ? w->rec->wants : 0;
	last->tag = w->me;
	last->kind = w->kind;
	last->parties = w->parties;
	last->owner_cpu = w->owner ? (__s32)res_fb_tag_cpu(w->owner) : -1;
	last->owner_tid = w->owner >> RES_FB_CPU_BITS;
}

/* Returns enum res_fb_done. */
static __noinline __attribute__((unused)) int res_fb_slow(__u32 *word, __u32 me, __u32 cpu)
{
	struct res_fb_wait w = { .word = word, .me = me, .cpu = cpu };
	__u32 round;

	w.start = bpf_ktime_get_ns();
	w.now = w.start;
	res_fb_claim(&w);
	if (w.rec)
		res_fb_publish(&w);
	for (round = 0; round < RES_FB_ROUNDS; round++) {
		bpf_loop(RES_FB_ROUND_STEPS, res_fb_step, &w, 0);
		if (w.done)
			break;
	}
	if (!w.done) {
		w.done = RES_FB_EXPIRED;
		w.kind = RQSPIN_TIMEOUT;
	}
	if (w.done != RES_FB_TAKEN)
		res_fb_note_failure(&w);
	res_fb_withdraw(&w);
	return w.done;
}

static __always_inline int rqspin_fb_take(__u32 *word)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 me = res_fb_tag(cpu);
	int done;

	res_fb_preempt_disable();
	if (cpu < RES_FALLBACK_CPUS && res_fb_state.cpus[cpu].waiters)
		res_fb_mark_interrupted(cpu, me);
	/* A full barrier: nothing of the critical section is done before the word is ours. */
	if (!__sync_val_compare_and_swap(word, 0, me))
		return 0;
	done = res_fb_slow(word, me, cpu);
	if (done == RES_FB_TAKEN)
		return 0;
	res_fb_preempt_enable();
	if (done == RES_FB_DEADLOCK)
		return -RQSPIN_EDEADLK;
	return -RQSPIN_ETIMEDOUT;
}

/**
 * res_fb_lock() - take a lock word, without looking for the kfunc
 * @word: __u32 *: the lock, 0 when free; in a map value or a global that BPF may write
 *
 * For locks of your own type, and for testing this lock on kernels that have the
 * kfunc. Preemption is off until the release if the kernel lets BPF do that
 * (Linux 6.10). Call from any context; in an interrupt that came between lock and
 * release on this CPU it reports the deadlock at once.
 *
 * Return: 0, -RQSPIN_EDEADLK (this task holds the lock, or holds a lock that its
 * owner waits for) or -RQSPIN_ETIMEDOUT.
 */
#define res_fb_lock(word) rqspin_acquire(rqspin_fb_take, word)

/**
 * res_fb_unlock() - release a lock word taken by res_fb_lock()
 * @word: the lock
 *
 * Locks may be released in any order. @word must be held: that is not checked.
 */
static __always_inline void res_fb_unlock(__u32 *word)
{
#ifdef __TARGET_ARCH_x86
	/* x86 does not reorder a store with earlier accesses; the compiler must not either. */
	barrier();
	*(volatile __u32 *)word = 0;
#else
	/* BPF has no store-release at -mcpu=v3; xchg is a full barrier everywhere. */
	(void)__sync_lock_test_and_set(word, 0);
#endif
	res_fb_preempt_enable();
}

/**
 * res_fb_last_failure() - details of a context's latest failure
 * @lock: address of the lock whose acquisition failed
 * @cpu: the CPU it failed on, which is this one
 * @tid: id of the current thread
 *
 * Calls no helper.
 *
 * Return: the record, or NULL if another context on this CPU has failed since
 * (possible only where preemption or interrupts intervened).
 */
static __always_inline const struct res_fb_failure *res_fb_last_failure(__u64 lock, __u32 cpu,
									__u32 tid)
{
	const struct res_fb_failure *last;

	if (cpu >= RES_FALLBACK_CPUS)
		return NULL;
	last = &res_fb_state.cpus[cpu].last;
	if (last->tag != res_fb_make_tag(cpu, tid) || last->lock != lock)
		return NULL;
	return last;
}

/* Details that res_scope_fail() adds to its event. */
static __always_inline void res_fb_detail(struct rqspin_event *ev, __u32 cpu)
{
	const struct res_fb_failure *last = res_fb_last_failure(ev->lock, cpu, ev->tid);

	if (!last)
		return;
	ev->wait_ns = last->wait_ns;
	ev->owner_wants = last->owner_wants;
	ev->kind = last->kind;
	ev->parties = last->parties;
	ev->owner_cpu = last->owner_cpu;
	ev->owner_tid = last->owner_cpu < 0 ? RQSPIN_TID_UNKNOWN : last->owner_tid;
	/* The fallback's locks are in no table. */
	ev->nr_held = RQSPIN_HELD_UNKNOWN;
}

#define RQSPIN_FALLBACK_DETAIL res_fb_detail

#define rqspin_either_take(lock) \
	(res_spin_lock_supported() ? bpf_res_spin_lock(lock) : rqspin_fb_take((__u32 *)(lock)))

#define rqspin_either_take_irqsave(lock, flags)                               \
	(res_spin_lock_supported() ? bpf_res_spin_lock_irqsave(lock, flags) : \
				     rqspin_fb_take((__u32 *)(lock)))

static __always_inline void rqspin_either_unlock(struct bpf_res_spin_lock *lock)
{
	if (res_spin_lock_supported())
		bpf_res_spin_unlock(lock);
	else
		res_fb_unlock((__u32 *)lock);
}

static __always_inline void rqspin_either_unlock_irqrestore(struct bpf_res_spin_lock *lock,
							    unsigned long *flags)
{
	if (res_spin_lock_supported())
		bpf_res_spin_unlock_irqrestore(lock, flags);
	else
		res_fb_unlock((__u32 *)lock);
}

#undef res_spin_lock
#undef res_spin_unlock
#undef res_spin_lock_irqsave
#undef res_spin_unlock_irqrestore

/**
 * res_spin_lock() - take a lock by the kfunc, or by res_fb_lock() without it
 * @lock: struct bpf_res_spin_lock *; without the kfunc in memory that BPF may
 *        write: a map value or a global, not an object of bpf_obj_new()
 *
 * Return: 0, -RQSPIN_EDEADLK or -RQSPIN_ETIMEDOUT; ignoring it is a compile error.
 * Context: any. A program meant for both keeps the kfunc's rules: no helper call
 * while a lock is held, release in reverse order.
 */
#define res_spin_lock(lock) rqspin_acquire(rqspin_either_take, lock)

/**
 * res_spin_unlock() - release the lock taken last
 * @lock: the same pointer value that was locked
 */
#define res_spin_unlock(lock) rqspin_either_unlock(lock)

/**
 * res_spin_lock_irqsave() - res_spin_lock(), with interrupts off if by the kfunc
 * @lock: as res_spin_lock()
 * @flags: unsigned long * to a variable on the stack
 *
 * The fallback cannot turn interrupts off. A program that interrupts the holder
 * on its own CPU and wants the lock gets -RQSPIN_EDEADLK at once instead.
 */
#define res_spin_lock_irqsave(lock, flags) rqspin_acquire(rqspin_either_take_irqsave, lock, flags)

/**
 * res_spin_unlock_irqrestore() - undo the last res_spin_lock_irqsave()
 * @lock: the same pointer value that was locked
 * @flags: the same variable
 */
#define res_spin_unlock_irqrestore(lock, flags) rqspin_either_unlock_irqrestore(lock, flags)

#endif /* RQSPIN_RES_SPIN_FALLBACK_BPF_H */
