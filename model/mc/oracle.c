// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must hold, judged by who wrote what to the lock words and by what the clients know, never
 * by the lock's own tables.
 */
#include <errno.h>
#include <string.h>

#include "mc.h"

#define LOCKED_BYTE 0xffU
#define PENDING_BIT 0x100U
#if CONFIG_NR_CPUS < 16384
#define OWNER_BITS 0xfeffU
#define TAIL_BITS  0xffff0000U
#else
#define OWNER_BITS LOCKED_BYTE
#define TAIL_BITS  0xfffffe00U
#endif
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

#define NODES (MC_CPUS * MC_LEVELS)

_Static_assert(NODES <= 64, "a set of contexts is a 64-bit mask");

static int node_of(int cpu, int level)
{
	return cpu * MC_LEVELS + level;
}

static struct mc_ctx *ctx_of(int node)
{
	return &mc.cpu[node / MC_LEVELS].ctx[node % MC_LEVELS];
}

void mc_oracle_reset(void)
{
	int i;

	for (i = 0; i < MC_LOCKS; i++) {
		mc.word[i] = 0;
		mc.owner_cpu[i] = -1;
		mc.inside[i] = -1;
		mc.pending[i] = -1;
	}
}

/* Who stands still in its loop is not about to return: none pauses after it has left. */
static bool surely_waits(int node)
{
	const struct mc_cpu *cpu = &mc.cpu[node / MC_LEVELS];

	return cpu->blocked && node % MC_LEVELS == cpu->level && !ctx_of(node)->told;
}

/* Who can take the free lock: those of the queue in front of whom all may be about to return. */
static uint64_t next_in_line(int lock)
{
	uint64_t set = 0;
	int i;

	if (mc.pending[lock] >= 0)
		return 1ULL << mc.pending[lock];
	for (i = 0; i < mc.queued[lock]; i++) {
		set |= 1ULL << mc.queue[lock][i];
		if (surely_waits(mc.queue[lock][i]))
			break;
	}
	return set;
}

/* Whom the context waits for. Once it has reported a failure it waits for nobody. */
static uint64_t blockers_of(int cpu, int level)
{
	struct mc_ctx *ctx = &mc.cpu[cpu].ctx[level];
	int lock = ctx->attempt;
	uint64_t set = 0;

	if (level < mc.cpu[cpu].level)
		set |= 1ULL << node_of(cpu, level + 1);
	if (lock < 0 || ctx->told)
		return set;
	if (mc.owner_cpu[lock] >= 0)
		set |= 1ULL << node_of(mc.owner_cpu[lock], mc.owner_level[lock]);
	else if (!mc_cfg.hybrid || ctx->joined || mc.pending[lock] >= 0)
		set |= next_in_line(lock) & ~(1ULL << node_of(cpu, level));
	return set;
}

static void build_graph(uint64_t *edges)
{
	int cpu, level;

	memset(edges, 0, NODES * sizeof(*edges));
	for (cpu = 0; cpu < mc_cfg.ncpu; cpu++) {
		if (mc.cpu[cpu].done)
			continue;
		for (level = 0; level <= mc.cpu[cpu].level; level++)
			edges[node_of(cpu, level)] = blockers_of(cpu, level);
	}
}

static uint64_t reachable(const uint64_t *edges, int from)
{
	uint64_t seen = 0, todo = edges[from];

	while (todo) {
		int n = __builtin_ctzll(todo);

		seen |= 1ULL << n;
		todo = (todo | edges[n]) & ~seen;
	}
	return seen;
}

static uint64_t in_cycles(uint64_t *edges)
{
	uint64_t set = 0;
	int n;

	build_graph(edges);
	for (n = 0; n < NODES; n++) {
		if (edges[n] && reachable(edges, n) & 1ULL << n)
			set |= 1ULL << n;
	}
	return set;
}

static int attempts(void)
{
	int cpu, level, n = 0;

	for (cpu = 0; cpu < mc_cfg.ncpu; cpu++) {
		for (level = 0; level <= mc.cpu[cpu].level; level++)
			n += mc.cpu[cpu].ctx[level].attempt >= 0;
	}
	return n;
}

/* Something about who waits for whom has changed. */
void mc_waits_changed(void)
{
	uint64_t edges[NODES], cycles;
	int n;

	if (attempts() < 2)
		return;
	cycles = in_cycles(edges);
	if (!cycles)
		return;
	for (n = 0; n < mc_cfg.ncpu * MC_LEVELS; n++) {
		struct mc_ctx *ctx = ctx_of(n);

		if (!edges[n] || ctx->attempt < 0 || ctx->told)
			continue;
		if (cycles & 1ULL << n)
			ctx->in_cycle = true;
	}
}

static void owner_changed(int lock, uint32_t from, uint32_t to)
{
	if (!(to & LOCKED_BYTE)) {
		mc.owner_cpu[lock] = -1;
		return;
	}
	if (from & LOCKED_BYTE)
		mc_blame("the lock changed hands without a release");
	if (!mc_names_owner(to, mc.cur))
		mc_blame("the lock word names another CPU than its owner");
	mc.owner_cpu[lock] = mc.cur;
	mc.owner_level[lock] = mc_this()->level;
}

static void leave_queue(int lock, int node)
{
	int i, n = 0;

	for (i = 0; i < mc.queued[lock]; i++) {
		if (mc.queue[lock][i] != node)
			mc.queue[lock][n++] = mc.queue[lock][i];
	}
	mc.queued[lock] = n;
}

static void tail_changed(int lock, uint32_t to)
{
	int node = node_of(mc.cur, mc_this()->level);

	if (!(to & TAIL_BITS)) {
		mc.queued[lock] = 0;
		return;
	}
	/* Who has joined before makes somebody else the last. */
	if (ctx_of(node)->joined)
		return;
	ctx_of(node)->joined = true;
	leave_queue(lock, node);
	if (mc.queued[lock] < MC_CPUS)
		mc.queue[lock][mc.queued[lock]++] = node;
}

static void word_changed(int lock, uint32_t from, uint32_t to)
{
	if (~from & to & PENDING_BIT)
		mc.pending[lock] = node_of(mc.cur, mc_this()->level);
	else if (from & ~to & PENDING_BIT)
		mc.pending[lock] = -1;
	if ((from ^ to) & TAIL_BITS)
		tail_changed(lock, to);
	if ((from ^ to) & OWNER_BITS && (from | to) & LOCKED_BYTE)
		owner_changed(lock, from, to);
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
		word_changed(i, old, word);
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

/*
 * The victim dissolves its cycles: who is in one only because of the victim must not fail for
 * it as well, as long as nobody took so long that a claim may have been taken over. The verdict
 * of those who have reported was made before.
 */
static void dissolve(int node)
{
	uint64_t edges[NODES], set = in_cycles(edges), others;

	if (mc.very_late)
		return;
	others = reachable(edges, node) & set;
	for (; others; others &= others - 1) {
		int n = __builtin_ctzll(others);

		if (n != node && !ctx_of(n)->told && reachable(edges, n) & 1ULL << node)
			ctx_of(n)->in_cycle = false;
	}
}

void mc_reported(int kind, int ret)
{
	struct mc_ctx *ctx = mc_ctx();

	if (kind == KIND_ABBA || kind == KIND_CYCLE)
		dissolve(node_of(mc.cur, mc_this()->level));
	ctx->kind = kind;
	ctx->told++;
	leave_queue(ctx->attempt, node_of(mc.cur, mc_this()->level));
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

static const char *judge(struct mc_ctx *ctx, int lock, int ret)
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
	const char *why = judge(ctx, lock, ret);

	mc_note(MC_NOTE_RET, NULL, lock, ctx->kind);
	if (why)
		mc_fail(why);
	if (!ret)
		mc.inside[lock] = mc.cur;
	leave_queue(lock, node_of(mc.cur, mc_this()->level));
	ctx->attempt = -1;
	ctx->uncounted = NULL;
	mc_stats.taken += !ret;
	mc_stats.kinds[ctx->kind]++;
	mc.idle = 0;
	mc_waits_changed();
}

/* Every script has come to its end. */
void mc_quiescent(void)
{
	const char *what = mc_residue();

	if (what)
		mc_blame(what);
}

void mc_no_progress(void)
{
	uint64_t edges[NODES];

	mc_blame(in_cycles(edges) ? "missed cycle: nobody leaves a cycle of waits" :
				    "hang: everybody waits, but not in a cycle");
}
