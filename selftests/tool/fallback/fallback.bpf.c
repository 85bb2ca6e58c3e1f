// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs for the test of the fallback lock. Programs named fb_* take the fallback
 * on every kernel; programs named api_* take the lock behind res_spin_lock().
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

const volatile bool stop_preemption = true;
/* True: interrupts take the tasks' locks, so deadlocks are real. Else they have their own two. */
const volatile bool shared_with_interrupts = false;

/* The limit of the next waits; api.bpf.c has the header's default. */
__u64 limit_ns;

/* A long grace: if a busy machine delays a victim no other may fail, as counts must be exact. */
#define RES_FALLBACK_TIMEOUT_NS	     limit_ns
#define RES_FALLBACK_GRACE_NS	     (limit_ns / 5 * 4)
#define RES_FALLBACK_STOP_PREEMPTION stop_preemption
#include <rqspin/res_spin_fallback.bpf.h>
#include "shared.h"

#define HOLD_ABOVE_NS 2000000ULL
#define MEET_STEPS    (1U << 23)
#define LONG_ROUNDS   32
#define MEET_NS	      5000000000ULL

char LICENSE[] SEC("license") = "Dual BSD/GPL";

RES_FALLBACK_DEFINE;

struct fb_lock locks[FB_LOCKS];
struct fb_seen seen[FB_LOCKS];
struct fb_counts task_counts[FB_MAX_CPUS];
struct fb_counts irq_counts[FB_MAX_CPUS];
__u32 inside[FB_MAX_CPUS];  /* a syscall program on this CPU may hold a lock */
__u64 guarded[FB_LOCKS][2]; /* only accessed under the lock with the same index */
__u64 torn;
__u64 interrupts;
__u64 arrived;
__u32 held; /* round whose holder has the lock */
__u32 armed;
__u64 held_ns;	    /* how long the last holder held the lock */
__u64 seen_address; /* address of locks[0] in the kernel */

/* bpf_loop() ends after some 0.2 s by itself; a busy machine may need the whole deadline. */
#define LONG_LOOP(step, ctx)                                                 \
	do {                                                                 \
		for (int round_ = 0; round_ < LONG_ROUNDS; round_++)         \
			if (bpf_loop(MEET_STEPS, step, ctx, 0) < MEET_STEPS) \
				break;                                       \
	} while (0)

static void failure_note(struct fb_seen *s, __u32 *word, int err)
{
	__u32 tid = bpf_get_current_task_btf()->pid;
	const struct res_fb_failure *last =
		res_fb_last_failure((__u64)word, bpf_get_smp_processor_id(), tid);

	s->err = err;
	s->lock = (__u64)word;
	if (!last)
		return;
	s->kind = last->kind;
	s->parties = last->parties;
	s->owner_cpu = last->owner_cpu;
	s->wait_ns = last->wait_ns;
	s->owner_wants = last->owner_wants;
}

static __u32 *word_of(__u32 i)
{
	return &locks[i & (FB_LOCKS - 1)].word;
}

SEC("syscall")
int fb_where(struct fb_args *args __attribute__((unused)))
{
	seen_address = (__u64)locks;
	return 0;
}

SEC("syscall")
int fb_aa(struct fb_args *args)
{
	__u32 *word = word_of(args->first);
	int err = res_fb_lock(word);

	if (err)
		return err;
	err = res_fb_lock(word);
	if (err)
		failure_note(&seen[args->first & (FB_LOCKS - 1)], word, err);
	else
		res_fb_unlock(word);
	res_fb_unlock(word);
	return err;
}

SEC("tc")
int fb_aa_tc(struct __sk_buff *skb __attribute__((unused)))
{
	__u32 *word = word_of(0);
	int err = res_fb_lock(word);

	if (err)
		return err;
	err = res_fb_lock(word);
	if (!err)
		res_fb_unlock(word);
	res_fb_unlock(word);
	return err;
}

SEC("xdp")
int fb_aa_xdp(struct xdp_md *xdp __attribute__((unused)))
{
	__u32 *word = word_of(0);
	int err = res_fb_lock(word);

	if (err)
		return err;
	err = res_fb_lock(word);
	if (!err)
		res_fb_unlock(word);
	res_fb_unlock(word);
	return err;
}

SEC("syscall")
int fb_out_of_order(struct fb_args *args)
{
	__u32 *first = word_of(args->first), *second = word_of(args->second);
	int err = res_fb_lock(first);

	if (err)
		return err;
	err = res_fb_lock(second);
	if (err) {
		res_fb_unlock(first);
		return err;
	}
	res_fb_unlock(first);
	/* The lock that is still held must be refused, the other must be free again. */
	if (!*second || *first)
		err = 1;
	res_fb_unlock(second);
	return err;
}

struct meeting {
	__u64 all;
	__u64 deadline;
};

static long meet_step(__u64 i __attribute__((unused)), struct meeting *m)
{
	if (*(volatile __u64 *)&arrived >= m->all)
		return 1;
	return bpf_ktime_get_ns() > m->deadline;
}

/* All parties come here with their first lock held, so that every round is a deadlock. */
static __always_inline bool parties_meet(struct fb_args *args)
{
	struct meeting m = { .all = args->round * args->parties,
			     .deadline = bpf_ktime_get_ns() + MEET_NS };

	__sync_fetch_and_add(&arrived, 1);
	LONG_LOOP(meet_step, &m);
	return *(volatile __u64 *)&arrived >= m.all;
}

SEC("syscall")
int fb_cross(struct fb_args *args)
{
	__u32 *first = word_of(args->first), *second = word_of(args->second);
	int err = res_fb_lock(first);

	if (err)
		return err;
	if (!parties_meet(args)) {
		res_fb_unlock(first);
		return 1;
	}
	err = res_fb_lock(second);
	if (err)
		failure_note(&seen[args->first & (FB_LOCKS - 1)], second, err);
	else
		res_fb_unlock(second);
	res_fb_unlock(first);
	return err;
}

static long hold_step(__u64 i __attribute__((unused)), __u64 *until)
{
	return bpf_ktime_get_ns() > *until;
}

SEC("syscall")
int fb_hold(struct fb_args *args)
{
	__u32 *word = word_of(args->first);
	int err = res_fb_lock(word);
	__u64 until;

	if (err)
		return err;
	until = bpf_ktime_get_ns() + args->hold_ns;
	*(volatile __u32 *)&held = 1;
	LONG_LOOP(hold_step, &until);
	held_ns = bpf_ktime_get_ns() - (until - args->hold_ns);
	res_fb_unlock(word);
	return 0;
}

SEC("syscall")
int fb_take(struct fb_args *args)
{
	__u32 *word = word_of(args->first);
	int err = res_fb_lock(word);

	if (err)
		failure_note(&seen[args->first & (FB_LOCKS - 1)], word, err);
	else
		res_fb_unlock(word);
	return err;
}

/* If two owners were inside at once the halves may differ, which the next owner sees. */
static void guarded_touch(__u32 i)
{
	volatile __u64 *g = guarded[i & (FB_LOCKS - 1)];
	__u64 before = g[0];

	if (before != g[1])
		__sync_fetch_and_add(&torn, 1);
	g[0] = before + 1;
	g[1] = before + 1;
}

static void count_failure(struct fb_counts *c, int err, bool possible)
{
	if (err == -RQSPIN_ETIMEDOUT) {
		__sync_fetch_and_add(&c->timeouts, 1);
		return;
	}
	__sync_fetch_and_add(&c->deadlocks, 1);
	if (!possible)
		__sync_fetch_and_add(&c->false_deadlocks, 1);
}

static void take_one(__u32 i, struct fb_counts *c, bool possible)
{
	int err = res_fb_lock(word_of(i));

	if (err) {
		count_failure(c, err, possible);
		return;
	}
	guarded_touch(i);
	res_fb_unlock(word_of(i));
	__sync_fetch_and_add(&c->taken, 1);
}

/* Always the lower one first, so that nobody can deadlock with another of these. */
static void take_two(__u32 i, struct fb_counts *c, bool possible)
{
	int err = res_fb_lock(word_of(i));

	if (err) {
		count_failure(c, err, possible);
		return;
	}
	guarded_touch(i);
	take_one(i + 1, c, possible);
	res_fb_unlock(word_of(i));
	__sync_fetch_and_add(&c->taken, 1);
}

static long crowd_step(__u64 i, struct fb_counts **c)
{
	if (i & 1)
		take_one(1, *c, shared_with_interrupts);
	else
		take_two(0, *c, shared_with_interrupts);
	return 0;
}

SEC("syscall")
int fb_crowd(struct fb_args *args)
{
	__u32 cpu = bpf_get_smp_processor_id() & (FB_MAX_CPUS - 1);
	struct fb_counts *c = &task_counts[cpu];

	__sync_fetch_and_add(&inside[cpu], 1);
	bpf_loop(args->count, crowd_step, &c, 0);
	__sync_fetch_and_add(&inside[cpu], -1);
	return 0;
}

/* Interrupts the code on its CPU, perhaps one of the programs above. */
SEC("perf_event")
int fb_interrupt(void *ctx __attribute__((unused)))
{
	__u32 cpu = bpf_get_smp_processor_id() & (FB_MAX_CPUS - 1);
	/* Even if no program was interrupted here: an interrupt elsewhere may delay its task. */
	bool possible = shared_with_interrupts;
	__u32 base = shared_with_interrupts ? 0 : 2;

	take_one(base + 1, &irq_counts[cpu], possible);
	take_two(base, &irq_counts[cpu], possible);
	if (inside[cpu])
		__sync_fetch_and_add(&interrupts, 1);
	return 0;
}

static long until_taken_step(__u64 i __attribute__((unused)), struct meeting *m)
{
	return res_fb_peek(&locks[2].word) || bpf_ktime_get_ns() > m->deadline;
}

/*
 * Owns lock 1 and wants lock 2, which fb_hold_above holds: that program interrupts
 * a wait for lock 1, but does not wait itself. Looks like AB against BA, but is not.
 */
SEC("syscall")
int fb_not_stuck(struct fb_args *args)
{
	struct meeting m = { .deadline = bpf_ktime_get_ns() + MEET_NS };
	int err = res_fb_lock(word_of(1));

	if (err)
		return err;
	armed = 1;
	*(volatile __u32 *)&held = args->round;
	LONG_LOOP(until_taken_step, &m);
	if (!locks[2].word)
		err = 1;
	if (!err)
		err = res_fb_lock(word_of(2));
	if (!err)
		res_fb_unlock(word_of(2));
	armed = 0;
	res_fb_unlock(word_of(1));
	return err;
}

SEC("perf_event")
int fb_hold_above(void *ctx __attribute__((unused)))
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 until = bpf_ktime_get_ns() + HOLD_ABOVE_NS;

	if (cpu >= RES_FALLBACK_CPUS || !armed || !res_fb_state.cpus[cpu].waiters)
		return 0;
	if (res_fb_lock(word_of(2))) {
		__sync_fetch_and_add(&irq_counts[0].false_deadlocks, 1);
		return 0;
	}
	__sync_fetch_and_add(&interrupts, 1);
	LONG_LOOP(hold_step, &until);
	res_fb_unlock(word_of(2));
	return 0;
}
