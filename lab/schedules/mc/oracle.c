// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must hold, judged by the writes to the lock words and by the state of the clients, never by
 * the lock's own tables.
 */
#include <errno.h>

#include "graph.h"

#define MAX_NEST    4
#define LIMIT_QUEUE (500 * MC_NS_PER_MS)
#define LIMIT_TAS   (1000 * MC_NS_PER_MS)
#define TIME_SLACK  (200 * MC_NS_PER_MS) /* two steps of the clock */

enum {
	KIND_NONE,
	KIND_AA,
	KIND_ABBA,
	KIND_CYCLE,
	KIND_TIMEOUT,
	KIND_NESTED,
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

/* One context has run since the last call, and made one access. */
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
		mc_graph_word(i, old, word);
		changed = true;
	}
	if (changed)
		mc_waits_changed();
}

void mc_attempt(int lock)
{
	struct mc_ctx *ctx = mc_ctx();

	ctx->attempt = lock;
	ctx->in_cycle = false;
	ctx->joined = false;
	ctx->own = mc.owner_cpu[lock] == mc.cur;
	ctx->kind = 0;
	ctx->told = 0;
	ctx->looks = 0;
	ctx->since = mc.now;
	mc_this()->watch = 0;
	mc_this()->woken = false;
	mc.idle = 0;
	mc_note(MC_NOTE_LOCK, NULL, lock, 0);
	mc_waits_changed();
}

void mc_reported(int kind, int ret)
{
	struct mc_ctx *ctx = mc_ctx();

	if (kind == KIND_ABBA || kind == KIND_CYCLE)
		mc_graph_dissolve();
	ctx->kind = kind;
	ctx->told++;
	mc_graph_leave(ctx->attempt);
	mc_waits_changed();
	if ((kind == KIND_TIMEOUT) != (ret == -ETIMEDOUT))
		mc_fail("the kind that is reported is not that of the error");
}

/* The rules for contexts that must not wait (docs/lock.md, section 4). */
static bool may_not_wait(int lock)
{
	struct mc_cpu *cpu = mc_this();
	int level, busy = 0, waits = 0;

	for (level = 0; level < cpu->level; level++) {
		struct mc_ctx *below = &cpu->ctx[level];

		if (below->attempt == lock || below->releasing == lock)
			return true;
		waits += below->attempt >= 0;
		busy += below->attempt >= 0 || below->releasing >= 0;
	}
	return waits >= MAX_NEST || (busy && cpu->ctx[cpu->level].nmi);
}

static const char *judge_deadlock(struct mc_ctx *ctx, int lock)
{
	switch (ctx->kind) {
	case KIND_AA:
		return ctx->own && mc.owner_cpu[lock] == mc.cur ? NULL : "false verdict: AA";
	case KIND_NESTED:
		return may_not_wait(lock) ? NULL : "false verdict: NESTED";
	case KIND_ABBA:
	case KIND_CYCLE:
		return ctx->in_cycle ? NULL :
				       "false verdict: no cycle of waits, or a second victim";
	}
	return "-EDEADLK of no kind";
}

static const char *judge_time(struct mc_ctx *ctx)
{
	uint64_t limit = mc_cfg.tas ? LIMIT_TAS : LIMIT_QUEUE;

	if (mc_cfg.irqs || mc_cfg.nmis || mc_cfg.jumps)
		return NULL;
	return mc.now - ctx->since > limit + TIME_SLACK ? "the wait was too long" : NULL;
}

static const char *judge_result(struct mc_ctx *ctx, int lock, int ret)
{
	if (!ret && ctx->told)
		return "a failure is reported, but the lock is acquired";
	if (ret && ctx->told != 1)
		return "a failure is not reported once";
	if (ctx->own && ret != -EDEADLK)
		return "the CPU owns the lock and waits for it (AA missed)";
	if (!ret)
		return mc.inside[lock] >= 0 ? "two owners of one lock" : judge_time(ctx);
	if (ret == -ETIMEDOUT)
		return mc.late ? judge_time(ctx) : "-ETIMEDOUT although nobody was late";
	return ret == -EDEADLK ? judge_deadlock(ctx, lock) : "a return value that is not defined";
}

void mc_attempt_over(int lock, int ret)
{
	struct mc_ctx *ctx = mc_ctx();
	const char *why = judge_result(ctx, lock, ret);

	mc_note(MC_NOTE_RET, NULL, lock, ctx->kind);
	if (why)
		mc_fail(why);
	if (!ret)
		mc.inside[lock] = mc.cur;
	mc_graph_leave(lock);
	ctx->attempt = -1;
	ctx->uncounted = NULL;
	mc_stats.taken += !ret;
	mc_stats.kinds[ctx->kind]++;
	mc.idle = 0;
	mc_waits_changed();
}

/* Called when every script has ended. */
void mc_quiescent(void)
{
	const char *what = mc_residue();

	if (what)
		mc_blame(what);
}

void mc_no_progress(void)
{
	mc_blame(mc_graph_cycle() ? "missed cycle: nobody leaves a cycle of waits" :
				    "hang: everybody waits, but not in a cycle");
}
