// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include <kernel/bpf/rqspinlock.h>

#include "stress.h"

static int lock_index(const void *lock)
{
	return lock ? (int)((union lab_lock *)lock - work_lock) : GHOST_NONE;
}

static void dump_ctx(const struct ghost_ctx *c, u64 now)
{
	int i;

	fprintf(stderr, "  CPU %d level %d:", c->cpu, c->level);
	for (i = 0; i < GHOST_HELD; i++) {
		if (c->held[i].lock != GHOST_NONE)
			fprintf(stderr, " has %d for %llu us,", c->held[i].lock,
				(unsigned long long)(now - c->held[i].begin) / 1000);
	}
	if (c->want != GHOST_NONE)
		fprintf(stderr, " wants %d (word %#x) for %llu us", c->want,
			READ_ONCE(work_lock[c->want].word),
			(unsigned long long)(now - c->want_begin) / 1000);
	fprintf(stderr, "\n");
}

static bool ctx_is_busy(const struct ghost_ctx *c)
{
	int i, n = c->want != GHOST_NONE;

	for (i = 0; i < GHOST_HELD; i++)
		n += c->held[i].lock != GHOST_NONE;
	return n;
}

static void dump_nodes(int cpu, const struct res_cpu *rc)
{
	static const char *const name[] = { "FREE", "WAIT", "LONE", "PASSED", "LEFT" };
	int i;

	for (i = 0; i < RES_NR_NODES; i++) {
		u32 state = atomic_read(&rc->node[i].state);

		if (state & RES_STATE_MASK)
			fprintf(stderr, "  CPU %d node %d: %s use %u\n", cpu, i,
				name[state & RES_STATE_MASK], state / RES_USE);
	}
}

static void dump_records(int cpu)
{
	static const char *const stage[] = { "SPIN", "PENDING", "QUEUED", "HEAD" };
	struct res_cpu *rc = per_cpu_ptr(&res_cpu, cpu);
	int i;

	for (i = 0; i < RES_NR_DEPTH; i++) {
		struct res_wait *rec = &rc->wait[i];

		if (res_wait_live(READ_ONCE(rec->seq)))
			fprintf(stderr, "  CPU %d record %d: lock %d %s seq %u claim %#x\n", cpu, i,
				lock_index(rec->lock), stage[rec->stage & 3], rec->seq,
				(u32)atomic_read(&rec->claim));
	}
	dump_nodes(cpu, rc);
	for (i = 0; i < RES_NR_HELD; i++) {
		if (rc->held[i])
			fprintf(stderr, "  CPU %d escaped: lock %d depth %lu\n", cpu,
				lock_index((void *)(rc->held[i] & ~RES_DEPTH_MASK)),
				rc->held[i] & RES_DEPTH_MASK);
	}
}

void ghost_dump(void)
{
	u64 now = shim_clock();
	int cpu, level;

	for (cpu = 0; cpu < (int)shim_nr_cpus; cpu++) {
		for (level = 0; level < GHOST_LEVELS; level++) {
			if (ctx_is_busy(&ghost_ctx[cpu][level]))
				dump_ctx(&ghost_ctx[cpu][level], now);
		}
		dump_records(cpu);
	}
}
