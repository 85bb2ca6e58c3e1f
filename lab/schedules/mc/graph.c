// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The graph of waits, derived from the writes to the lock words: owner, pending bit, queue. A word
 * has the parts of qspinlock's.
 */
#include <string.h>

#include "graph.h"

#define LOCKED_BYTE 0xffU
#define PENDING_BIT 0x100U
#if CONFIG_NR_CPUS < 16384
#define OWNER_BITS 0xfeffU
#define TAIL_BITS  0xffff0000U
#else
#define OWNER_BITS LOCKED_BYTE
#define TAIL_BITS  0xfffffe00U
#endif

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

void mc_graph_reset(void)
{
	int i;

	for (i = 0; i < MC_LOCKS; i++) {
		mc.owner_cpu[i] = -1;
		mc.pending[i] = -1;
	}
}

/*
 * A waiter that is blocked in its loop is not about to return: no waiter pauses after it has left.
 */
static bool surely_waits(int node)
{
	const struct mc_cpu *cpu = &mc.cpu[node / MC_LEVELS];

	return cpu->blocked && node % MC_LEVELS == cpu->level && !ctx_of(node)->told;
}

/*
 * The contexts that can take the free lock: waiters in front of whom all others may be about to
 * return.
 */
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

/* The contexts that this one waits for. Once it has reported a failure, it waits for none. */
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

static uint64_t nodes_reachable(const uint64_t *edges, int from)
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
		if (edges[n] && nodes_reachable(edges, n) & 1ULL << n)
			set |= 1ULL << n;
	}
	return set;
}

static int attempts_count(void)
{
	int cpu, level, n = 0;

	for (cpu = 0; cpu < mc_cfg.ncpu; cpu++) {
		for (level = 0; level <= mc.cpu[cpu].level; level++)
			n += mc.cpu[cpu].ctx[level].attempt >= 0;
	}
	return n;
}

/* Call it when the graph of waits may have changed. */
void mc_waits_changed(void)
{
	uint64_t edges[NODES], cycles;
	int n;

	if (attempts_count() < 2)
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
	/* A context that has joined before makes another context the last. */
	if (ctx_of(node)->joined)
		return;
	ctx_of(node)->joined = true;
	leave_queue(lock, node);
	if (mc.queued[lock] < MC_CPUS)
		mc.queue[lock][mc.queued[lock]++] = node;
}

void mc_graph_word(int lock, uint32_t from, uint32_t to)
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

void mc_graph_dissolve(void)
{
	uint64_t edges[NODES], set = in_cycles(edges), others;
	int node = node_of(mc.cur, mc_this()->level);

	if (mc.very_late)
		return;
	others = nodes_reachable(edges, node) & set;
	for (; others; others &= others - 1) {
		int n = __builtin_ctzll(others);

		if (n != node && !ctx_of(n)->told && nodes_reachable(edges, n) & 1ULL << node)
			ctx_of(n)->in_cycle = false;
	}
}

void mc_graph_leave(int lock)
{
	leave_queue(lock, node_of(mc.cur, mc_this()->level));
}

bool mc_graph_cycle(void)
{
	uint64_t edges[NODES];

	return in_cycles(edges);
}
