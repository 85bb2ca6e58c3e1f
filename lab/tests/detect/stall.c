// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Owners that do not release in time: until all waiters have given up, or until the first has. */
#include <stdlib.h>

#include "../../threads/lib/team.h"
#include "detect.h"

#define MAX_THREADS 64

/* What a waiter did; @had: when it had the lock at last, cycles. */
struct wait {
	u64 call, back, had;
	int ret, again;
} __attribute__((aligned(LAB_ALIGN)));

struct stall {
	const struct lab_ops *ops;
	union lab_lock lock;
	struct lab_barrier barrier;
	u32 waiters;
	u32 gone; /* waiters that are back */
	u32 gave_up, told;
	int after; /* the owner's second acquisition */
	struct wait wait[MAX_THREADS];
};

/* The first thread has the lock when the others begin. */
static void stall_begin(struct stall *s, int cpu, struct lab_ctx *ctx)
{
	lab_ctx_init(ctx);
	if (!cpu && s->ops->lock(&s->lock, ctx))
		abort();
	lab_meet(&s->barrier);
}

static void wait_once(struct stall *s, struct wait *w, struct lab_ctx *ctx)
{
	w->call = shim_cycles();
	w->ret = s->ops->lock(&s->lock, ctx);
	w->back = w->had = shim_cycles();
	if (!w->ret)
		s->ops->unlock(&s->lock, ctx);
}

static void stall_play(int cpu, void *arg)
{
	struct stall *s = arg;
	struct lab_ctx ctx;

	stall_begin(s, cpu, &ctx);
	if (!cpu) {
		lab_wait_u32(&s->gone, s->waiters);
		s->ops->unlock(&s->lock, &ctx);
		s->after = s->ops->lock(&s->lock, &ctx);
		if (!s->after)
			s->ops->unlock(&s->lock, &ctx);
		return;
	}
	wait_once(s, &s->wait[cpu], &ctx);
	lab_add_u32(&s->gone);
}

/* The first one that gives up wakes the owner; on a busy machine that may take another limit. */
static void try_again(struct stall *s, struct wait *w, struct lab_ctx *ctx)
{
	if (!__atomic_exchange_n(&s->told, 1, __ATOMIC_RELAXED))
		lab_add_u32(&s->gave_up);
	do {
		w->again = s->ops->lock(&s->lock, ctx);
	} while (w->again == -ETIMEDOUT);
	w->had = shim_cycles();
	if (!w->again)
		s->ops->unlock(&s->lock, ctx);
}

static void release_play(int cpu, void *arg)
{
	struct stall *s = arg;
	struct lab_ctx ctx;

	stall_begin(s, cpu, &ctx);
	if (!cpu) {
		lab_wait_u32(&s->gave_up, 1);
		s->ops->unlock(&s->lock, &ctx);
		return;
	}
	wait_once(s, &s->wait[cpu], &ctx);
	if (s->wait[cpu].ret)
		try_again(s, &s->wait[cpu], &ctx);
}

static void stall_run(struct stall *s, const struct lab_ops *ops, int waiters,
		      void (*play)(int cpu, void *arg))
{
	memset(s, 0, sizeof(*s));
	s->ops = ops;
	s->waiters = waiters;
	s->barrier.n = waiters + 1;
	ops->init(&s->lock);
	lab_team(waiters + 1, play, s);
}

/* Without @all, the limit of those that failed only. */
static void waits_judge(const struct stall *s, bool all, struct outcome *out)
{
	u32 i;

	out->rounds++;
	for (i = 1; i <= s->waiters; i++) {
		const struct wait *w = &s->wait[i];

		out->timeouts += w->ret == -ETIMEDOUT;
		out->victims += w->ret == -EDEADLK;
		out->stuck += w->again != 0;
		if (all || w->ret)
			lab_add(&out->latency, cycles_to_ns(w->back - w->call));
	}
	/* The word is free again, and the lock can be acquired. */
	out->single += !s->after && res_is_free(READ_ONCE(s->lock.word));
}

static void recovery_judge(const struct stall *s, struct outcome *out)
{
	const struct wait *first = NULL;
	u64 next = ~0ULL;
	u32 i;

	for (i = 1; i <= s->waiters; i++) {
		if (s->wait[i].ret && (!first || s->wait[i].back < first->back))
			first = &s->wait[i];
	}
	for (i = 1; first && i <= s->waiters; i++) {
		if (!s->wait[i].again && s->wait[i].had >= first->back)
			next = min(next, s->wait[i].had);
	}
	if (!first || first->again)
		return;
	lab_add(&out->anybody, cycles_to_ns(next - first->back));
	lab_add(&out->again, cycles_to_ns(first->had - first->back));
}

void run_stall(const struct lab_ops *ops, int waiters, struct outcome *out)
{
	static struct stall s;

	stall_run(&s, ops, waiters, stall_play);
	waits_judge(&s, true, out);
}

void run_release(const struct lab_ops *ops, int waiters, int rounds, struct outcome *out)
{
	static struct stall s;

	while (rounds--) {
		stall_run(&s, ops, waiters, release_play);
		waits_judge(&s, false, out);
		recovery_judge(&s, out);
	}
}
