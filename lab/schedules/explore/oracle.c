// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What must hold for every lock: one owner, every wait ends, the promised order is kept. */
#include "../../locks/cna.h"
#include "graph.h"
#include "sched.h"

enum {
	KIND_AA = 1,
	KIND_DEADLOCK,
	KIND_TIMEOUT = 4,
};

void mc_oracle_reset(void)
{
	int i;

	for (i = 0; i < MC_LOCKS; i++) {
		mc.word[i] = 0;
		mc.inside[i] = -1;
	}
	mc_graph_reset();
}

void mc_observe(void)
{
	bool changed = false;
	int i;

	for (i = 0; i < MC_LOCKS; i++) {
		uint32_t word = mc_lock_word(i), old = mc.word[i];

		if (word == old)
			continue;
		mc.word[i] = word;
		mc_note(MC_NOTE_WORD, NULL, i, word);
		mc.idle = 0;
		if (sched_lock->cycles)
			mc_graph_word(i, old, word);
		changed = sched_lock->cycles;
	}
	if (changed)
		mc_waits_changed();
}

static int cpu_wanted(int cpu)
{
	return mc.cpu[cpu].done ? -1 : mc.cpu[cpu].ctx[0].attempt;
}

/* The CPU pauses in its waiting loop: after enough pauses it has its place in the order. */
void mc_paused(int cpu)
{
	if (cpu_wanted(cpu) >= 0 && sched_order.paused[cpu] < sched_lock->fifo_after)
		sched_order.paused[cpu]++;
}

static bool cpu_waits(int cpu, int lock)
{
	return sched_lock->fifo_after && cpu_wanted(cpu) == lock &&
	       sched_order.paused[cpu] >= sched_lock->fifo_after;
}

void mc_attempt(int lock)
{
	struct mc_ctx *ctx = mc_ctx();
	int i;

	sched_order.paused[mc.cur] = 0;
	sched_order.before[mc.cur] = 0;
	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (i != mc.cur && cpu_waits(i, lock) && cna_socket(i) == cna_socket(mc.cur))
			sched_order.before[mc.cur] |= 1U << i;
	}
	ctx->attempt = lock;
	ctx->own = mc.inside[lock] == mc.cur;
	ctx->in_cycle = false;
	ctx->joined = false;
	ctx->told = 0;
	ctx->looks = 0;
	mc_this()->watch = 0;
	mc_this()->woken = false;
	mc.idle = 0;
	mc_note(MC_NOTE_LOCK, NULL, lock, 0);
	mc_waits_changed();
}

static int kind_of(const struct mc_ctx *ctx, int ret)
{
	if (!ret)
		return 0;
	if (ret == -ETIMEDOUT)
		return KIND_TIMEOUT;
	return ctx->own ? KIND_AA : KIND_DEADLOCK;
}

/* Does a context below this one hold, want or release the lock already? */
static bool attempt_is_own(int lock)
{
	struct mc_cpu *cpu = mc_this();
	int level;

	for (level = 0; level < cpu->level; level++) {
		if (cpu->ctx[level].attempt == lock || cpu->ctx[level].releasing == lock)
			return true;
	}
	return cpu->ctx[level].own;
}

static const char *attempt_judge_error(const struct mc_ctx *ctx, int lock)
{
	if (!sched_lock->resilient)
		return "an error of a lock that has none";
	if (sched_lock->cycles && !ctx->told && !attempt_is_own(lock))
		return "an error without a deadlock";
	return NULL;
}

static const char *attempt_judge(const struct mc_ctx *ctx, int lock, int ret)
{
	if (ret)
		return attempt_judge_error(ctx, lock);
	if (ctx->own || mc.inside[lock] >= 0)
		return "two owners of one lock";
	return sched_order.before[mc.cur] ? "somebody who came later was first" : NULL;
}

void mc_attempt_over(int lock, int ret)
{
	struct mc_ctx *ctx = mc_ctx();
	const char *why = attempt_judge(ctx, lock, ret);
	int i;

	ctx->kind = kind_of(ctx, ret);
	mc_note(MC_NOTE_RET, NULL, lock, ctx->kind);
	if (why)
		mc_fail(why);
	if (!ret)
		mc.inside[lock] = mc.cur;
	mc_graph_leave(lock);
	ctx->attempt = -1;
	sched_order.paused[mc.cur] = 0;
	for (i = 0; i < mc_cfg.ncpu; i++)
		sched_order.before[i] &= ~(1U << mc.cur);
	mc_stats.taken += !ret;
	mc_stats.kinds[ctx->kind]++;
	mc.idle = 0;
	mc_waits_changed();
}

/* A verdict, reported before the lock acts on it. */
void mc_reported(int kind, int ret)
{
	struct mc_ctx *ctx = mc_ctx();

	if (!sched_lock->cycles)
		mc_fail("none of these locks reports anything");
	if (!ctx->in_cycle)
		mc_fail("false verdict: no cycle of waits, or a second victim");
	mc_graph_dissolve();
	ctx->told++;
	mc_graph_leave(ctx->attempt);
	mc_waits_changed();
}

void mc_quiescent(void)
{
	const char *what = mc_residue();

	if (what)
		mc_blame(what);
}

void mc_no_progress(void)
{
	mc_blame(mc_graph_cycle() ? "missed cycle: nobody leaves a cycle of waits" :
				    "hang: everybody waits");
}
