// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Deadlocks made to order. Member i owns lock i and wants lock i + 1, so every round is a real
 * cycle. Bystanders want one of the locks and own none, so they are not part of the cycle.
 */
#include <stdlib.h>

#include <kernel/bpf/rqspinlock.h>
#include "../../threads/lib/team.h"
#include "away.h"
#include "detect.h"

#define MAX_THREADS   64
#define TELL_MAX      5
#define LOOK_EVERY_NS (20 * NSEC_PER_MSEC)

__thread struct failure last_failure;

static void on_failure(const struct shim_failure *f)
{
	last_failure.kind = f->kind;
	last_failure.hops = f->chain->n;
}

void watch_failures(void)
{
	shim_on_failure = on_failure;
}

double cycles_to_ns(u64 cycles)
{
	return (double)cycles * shim_clock_mult / (double)(1ULL << SHIM_CLOCK_SHIFT);
}

void run_aa(const struct lab_ops *ops, int rounds, struct outcome *out)
{
	static union lab_lock lock;
	struct lab_ctx ctx;
	u64 start, end, again;
	int ret;

	lab_ctx_init(&ctx);
	ops->init(&lock);
	if (ops->lock(&lock, &ctx))
		return;
	while (rounds--) {
		last_failure = (struct failure){ 0 };
		start = shim_cycles();
		ret = ops->lock(&lock, &ctx);
		end = shim_cycles();
		ops->unlock(&lock, &ctx);
		if (ops->lock(&lock, &ctx))
			return;
		again = shim_cycles();
		out->rounds++;
		out->victims += ret == -EDEADLK;
		out->single += ret == -EDEADLK;
		out->timeouts += ret == -ETIMEDOUT;
		out->wrong_kind += last_failure.kind != RES_KIND_AA;
		lab_add(&out->latency, cycles_to_ns(end - start));
		lab_add(&out->anybody, cycles_to_ns(again - end));
		lab_add(&out->again, cycles_to_ns(again - end));
	}
	ops->unlock(&lock, &ctx);
}

/**
 * struct attempt - what one thread did in a round
 * @when: its times
 * @ret: result of the acquisition
 * @again: of the second try after a failure, else 0
 * @had: when that was over, cycles
 * @why: the failure
 */
struct attempt {
	struct stint when;
	int ret, again;
	u64 had;
	struct failure why;
} __attribute__((aligned(LAB_ALIGN)));

struct round {
	const struct lab_ops *ops;
	const struct ring *ring;
	struct outcome *out;
	int rounds, threads;
	union lab_lock lock[MAX_THREADS];
	struct attempt attempt[MAX_THREADS];
	struct lab_ctx ctx[MAX_THREADS];
	struct lab_barrier barrier;
	u32 gone; /* attempts over in this round */
	int told;
	double stolen; /* as of @looked */
	u64 looked;
};

static void lock_attempt(struct round *r, int cpu, int l)
{
	struct attempt *a = &r->attempt[cpu];
	union lab_lock *lock = &r->lock[l];

	last_failure = (struct failure){ 0 };
	a->again = 0;
	a->when.call = shim_cycles();
	a->ret = r->ops->lock(lock, &r->ctx[cpu]);
	a->when.back = shim_cycles();
	if (a->ret)
		a->why = last_failure;
	else
		r->ops->unlock(lock, &r->ctx[cpu]);
	__atomic_add_fetch(&r->gone, 1, __ATOMIC_RELAXED);
}

/* As a program does: it has given back what it held, and tries again. */
static void lock_again(struct round *r, int cpu, int l)
{
	struct attempt *a = &r->attempt[cpu];

	a->again = r->ops->lock(&r->lock[l], &r->ctx[cpu]);
	a->had = shim_cycles();
	if (!a->again)
		r->ops->unlock(&r->lock[l], &r->ctx[cpu]);
}

/*
 * With two bystanders, one has the pending bit and one is head of the queue: members wait behind
 * it.
 */
static void wait_for_bystanders(struct round *r, int l)
{
	u32 want = r->ring->bystanders > 1 ? _Q_TAIL_MASK : ~_Q_LOCKED_MASK;

	while (!(READ_ONCE(r->lock[l].word) & want) && !READ_ONCE(r->gone))
		lab_poll();
}

static void member_play(struct round *r, int cpu)
{
	int n = r->ring->members;

	if (r->ops->lock(&r->lock[cpu], &r->ctx[cpu]))
		abort();
	stint_begin(&r->attempt[cpu].when);
	lab_meet(&r->barrier);
	r->attempt[cpu].when.start = shim_cycles();
	r->attempt[cpu].when.waits = r->ring->order == BEFORE;
	if (r->ring->order == BEFORE) {
		wait_for_bystanders(r, (cpu + 1) % n);
		stint_begin(&r->attempt[cpu].when);
	}
	lock_attempt(r, cpu, (cpu + 1) % n);
	r->ops->unlock(&r->lock[cpu], &r->ctx[cpu]);
	r->attempt[cpu].when.end = shim_cycles();
	if (r->attempt[cpu].ret)
		lock_again(r, cpu, (cpu + 1) % n);
	stint_end(&r->attempt[cpu].when);
}

static void bystander_play(struct round *r, int cpu)
{
	int l = cpu % r->ring->members;

	stint_begin(&r->attempt[cpu].when);
	lab_meet(&r->barrier);
	r->attempt[cpu].when.start = shim_cycles();
	lock_attempt(r, cpu, l);
	r->attempt[cpu].when.end = shim_cycles();
	stint_end(&r->attempt[cpu].when);
}

/*
 * Did a thread lose its CPU for so long that a waiter was right to fail? If the thread stood still
 * inside the lock, the steal times of the scheduler or of the hypervisor show it.
 */
static bool was_disturbed(const struct round *r)
{
	const struct stint *stints[MAX_THREADS];
	int i;

	for (i = 0; i < r->threads; i++)
		stints[i] = &r->attempt[i].when;
	return longest_absence(stints, r->threads) > RES_DEF_TIMEOUT / 2 ||
	       was_starved(stints, r->threads) || stolen_ns() - r->stolen > RES_DEF_TIMEOUT / 2;
}

static double us_after(u64 start, u64 at)
{
	return at < start ? -cycles_to_ns(start - at) / 1e3 : cycles_to_ns(at - start) / 1e3;
}

/* Prints what distinguishes a lock that lost a waiter from a machine that stood still. */
static void round_print(const struct round *r)
{
	u64 start = r->attempt[0].when.start;
	int i;

	for (i = 0; i < r->threads; i++) {
		const struct attempt *a = &r->attempt[i];
		const struct stint *s = &a->when;

		printf("# %s %d: returned %d; us after member 0 began: called %.1f, back %.1f, "
		       "done %.1f; kept off its CPU for %.1f\n",
		       i < r->ring->members ? "member" : "bystander", i, a->ret,
		       us_after(start, s->call), us_after(start, s->back), us_after(start, s->end),
		       (double)s->kept / 1e3);
	}
	printf("# stolen by the hypervisor: %.0f ms\n", (stolen_ns() - r->stolen) / 1e6);
	fflush(stdout);
}

static u64 attempts_failed(const struct round *r, int from, int to, bool timeouts_only)
{
	u64 nr = 0;

	while (from < to) {
		int ret = r->attempt[from++].ret;

		nr += timeouts_only ? ret == -ETIMEDOUT : ret != 0;
	}
	return nr;
}

static u64 attempts_stuck(const struct round *r)
{
	u64 nr = 0;
	int i;

	for (i = 0; i < r->ring->members; i++)
		nr += r->attempt[i].again != 0;
	return nr;
}

/* Returns false if the round is not judged. */
static bool judge_limits(struct round *r, struct outcome *out)
{
	u64 timeouts = attempts_failed(r, 0, r->ring->members, true);
	u64 errors = attempts_failed(r, r->ring->members, r->threads, false);
	u64 stuck = attempts_stuck(r);

	if (!timeouts && !errors && !stuck)
		return true;
	if (r->ops->flags & LAB_OURS && r->told++ < TELL_MAX)
		round_print(r);
	if ((r->ops->flags & LAB_OURS || stuck) && was_disturbed(r)) {
		printf("# not judged: a thread was kept off its CPU\n");
		out->disturbed++;
		return false;
	}
	out->timeouts += timeouts;
	out->bystander_errors += errors;
	out->stuck += stuck;
	return true;
}

/* Besides the member that failed, only bystanders want the same lock. */
static void judge_recovery(const struct round *r, int member, struct outcome *out)
{
	const struct attempt *failed = &r->attempt[member];
	u64 next = failed->had, error = failed->when.back;
	int i, n = r->ring->members;

	if (failed->again)
		return;
	for (i = n + (member + 1) % n; i < r->threads; i += n) {
		const struct attempt *a = &r->attempt[i];

		if (!a->ret && a->when.back >= error)
			next = min(next, a->when.back);
	}
	lab_add(&out->anybody, cycles_to_ns(next - error));
	lab_add(&out->again, cycles_to_ns(failed->had - error));
}

static void judge_members(struct round *r, struct outcome *out)
{
	u64 closing = 0, first = ~0ULL;
	int i, who = 0, victims = 0, n = r->ring->members;
	u32 kind = n == 2 ? RES_KIND_ABBA : RES_KIND_CYCLE;

	for (i = 0; i < n; i++) {
		struct attempt *a = &r->attempt[i];

		closing = max(closing, a->when.call);
		if (a->ret && a->when.back < first) {
			first = a->when.back;
			who = i;
		}
		if (a->ret != -EDEADLK)
			continue;
		victims++;
		out->wrong_kind += a->why.kind != kind || (int)a->why.hops != n - 1;
	}
	out->victims += victims;
	out->single += victims == 1;
	if (first == ~0ULL)
		return;
	lab_add(&out->latency, first > closing ? cycles_to_ns(first - closing) : 0);
	judge_recovery(r, who, out);
}

static void round_judge(struct round *r)
{
	struct outcome *out = r->out;
	int i;

	r->gone = 0;
	if (!judge_limits(r, out))
		return;
	out->rounds++;
	judge_members(r, out);
	for (i = r->ring->members; i < r->threads; i++) {
		struct attempt *a = &r->attempt[i];

		out->bystanders++;
		lab_add(&out->bystander_wait, cycles_to_ns(a->when.back - a->when.call));
	}
}

/* Not read before each round: that would take longer than the round. */
static void look_at_steal(struct round *r)
{
	u64 now = shim_cycles();

	if (r->looked && cycles_to_ns(now - r->looked) < LOOK_EVERY_NS)
		return;
	r->looked = now;
	r->stolen = stolen_ns();
}

static void play_rounds(int cpu, void *arg)
{
	struct round *r = arg;
	int i;

	for (i = 0; i < r->rounds; i++) {
		if (!cpu)
			look_at_steal(r);
		lab_meet(&r->barrier);
		if (cpu < r->ring->members)
			member_play(r, cpu);
		else
			bystander_play(r, cpu);
		lab_meet(&r->barrier);
		if (!cpu)
			round_judge(r);
	}
}

void run_ring(const struct lab_ops *ops, const struct ring *ring, int n, struct outcome *out)
{
	static struct round r;
	int i;

	memset(&r, 0, sizeof(r));
	r.ops = ops;
	r.ring = ring;
	r.out = out;
	r.rounds = n;
	r.threads = ring->members * (1 + ring->bystanders);
	r.barrier.n = r.threads;
	for (i = 0; i < r.threads; i++) {
		ops->init(&r.lock[i]);
		lab_ctx_init(&r.ctx[i]);
	}
	lab_team(r.threads, play_rounds, &r);
}
