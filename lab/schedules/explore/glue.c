// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Describes the locks to the scheduler: where their memory is. */
#include <stdio.h>
#include <stdlib.h>

#include "../../locks/cna.h"
#include "../../locks/held.h"
#include "claims.h"
#include "cycles.h"
#include "paravirt.h"
#include "sched.h"

#define TABLE_SIZE 4096

extern const struct lab_ops lab_qspin, lab_by_table, lab_queued_cmpxchg, lab_queued_store,
	lab_cna_ops, lab_pv_queued_ops, lab_pv_hybrid_ops, lab_unfair, lab_own_ticket,
	lab_ticket_10, lab_ticket_auto, lab_tas, lab_two_steps, lab_no_release, lab_claim_waits,
	lab_claim_takes_back, lab_cycles;

#define CYCLES(suffix, parts)      \
	{ .name = "cycles" suffix, \
	  .ops = &lab_cycles,      \
	  .resilient = true,       \
	  .cycles = true,          \
	  .without = (parts) }

static const struct sched_lock all[] = {
	/*
	 * The first pause may come before the waiter has a place in the queue: it may be for the
	 * pending bit.
	 */
	{ .name = "qspinlock", .ops = &lab_qspin, .fifo_after = 2 },
	{ .name = "queued-cmpxchg", .ops = &lab_queued_cmpxchg, .fifo_after = 2 },
	{ .name = "queued-store", .ops = &lab_queued_store, .fifo_after = 2 },
	{ .name = "cna", .ops = &lab_cna_ops, .fifo_after = 2 },
	{ .name = "cna-2-sockets", .ops = &lab_cna_ops, .fifo_after = 2, .sockets = 2 },
	{ .name = "pv-queued", .ops = &lab_pv_queued_ops },
	{ .name = "pv-hybrid", .ops = &lab_pv_hybrid_ops },
	{ .name = "unfair", .ops = &lab_unfair },
	{ .name = "test-and-set", .ops = &lab_tas },
	{ .name = "ticket", .ops = &lab_own_ticket, .fifo_after = 1, .ticket = true },
	{ .name = "ticket-10x", .ops = &lab_ticket_10, .fifo_after = 1, .ticket = true },
	{ .name = "ticket-auto", .ops = &lab_ticket_auto, .fifo_after = 1, .ticket = true },
	{ .name = "held-table", .ops = &lab_by_table, .fifo_after = 2, .resilient = true },
	{ .name = "claim-waits", .ops = &lab_claim_waits, .resilient = true },
	{ .name = "claim-takes-back", .ops = &lab_claim_takes_back, .resilient = true },
	CYCLES("", 0),
	CYCLES("-once", CYCLE_AGAIN),
	/* A second search would hide the errors of the first: these locks search once. */
	CYCLES("-one-look", CYCLE_SECOND_LOOK | CYCLE_AGAIN),
	CYCLES("-attempts-held", CYCLE_ATTEMPTS | CYCLE_OTHERS | CYCLE_AGAIN),
	CYCLES("-first-entry", CYCLE_OTHERS | CYCLE_AGAIN),
	CYCLES("-free-held", CYCLE_WORD | CYCLE_AGAIN),
	CYCLES("-below", CYCLE_TOP | CYCLE_AGAIN),
	CYCLES("-no-stages", CYCLE_STAGES),
	CYCLES("-all-leave", CYCLE_VICTIM),
	CYCLES("-pairs", CYCLE_MORE_THAN_2),
	{ .name = "wrong-two-steps", .ops = &lab_two_steps },
	{ .name = "wrong-no-release", .ops = &lab_no_release },
	{ .name = "wrong-order", .ops = &lab_unfair, .fifo_after = 1 },
};

const struct sched_lock *sched_lock;
union lab_lock sched_locks[MC_LOCKS];
struct sched_order sched_order;
unsigned int mc_tag_cpus;

/* Tables that the locks allocate at the start. */
static char tables[TABLE_SIZE] __attribute__((aligned(SMP_CACHE_BYTES)));
static size_t tables_used;
static u32 kicked[MC_CPUS];

void *shim_table(size_t size)
{
	void *table = tables + tables_used;

	tables_used += size;
	if (tables_used > sizeof(tables))
		__builtin_trap();
	return table;
}

/* Only a kick ends a halt, no tick: a lost kick is a hang. */
void shim_halt(const u8 *byte, u8 val)
{
	mc_access(byte, MC_READ, __builtin_return_address(0));
	if (*byte != val)
		return;
	while (!kicked[mc.cur]) {
		mc_this()->relaxed = true;
		mc_access(&kicked[mc.cur], MC_READ, __builtin_return_address(0));
	}
	kicked[mc.cur] = 0;
}

void shim_kick(int cpu)
{
	mc_access(&kicked[cpu], MC_WRITE, __builtin_return_address(0));
	kicked[cpu] = 1;
}

static size_t area_of_one(char **start)
{
	size_t size;

	*start = shim_area(&size);
	return size / shim_nr_cpus;
}

static bool area_key(const volatile void *addr, const void *start, size_t size, u32 base, u32 *key)
{
	size_t offset = (uintptr_t)addr - (uintptr_t)start;

	if (offset >= size)
		return false;
	*key = base + offset;
	return true;
}

/* Is @addr in memory that only its own CPU accesses? */
static bool is_of_cpu(const volatile void *addr)
{
	u32 key;
	int i;

	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (area_key(addr, per_cpu_ptr(&claim_own, i), sizeof(claim_own), 0, &key))
			return true;
	}
	return false;
}

enum mc_class mc_classify(const volatile void *addr, uint32_t *key)
{
	char *area;
	size_t one = area_of_one(&area);

	if (area_key(addr, sched_locks, sizeof(sched_locks), 0, key)) {
		*key /= sizeof(sched_locks[0]);
		return MC_SHARED;
	}
	if (area_key(addr, area, one * shim_nr_cpus, 1U << 16, key) ||
	    area_key(addr, tables, sizeof(tables), 1U << 24, key) ||
	    area_key(addr, kicked, sizeof(kicked), 1U << 25, key))
		return is_of_cpu(addr) ? MC_PRIVATE : MC_SHARED;
	return MC_ALIEN;
}

const char *mc_describe(const volatile void *addr, char *buf, size_t size)
{
	char *area;
	size_t one = area_of_one(&area);
	u32 key = 0;

	if (area_key(addr, sched_locks, sizeof(sched_locks), 0, &key))
		snprintf(buf, size, "%c+%zu", (char)('A' + key / sizeof(sched_locks[0])),
			 key % sizeof(sched_locks[0]));
	else if (area_key(addr, area, one * shim_nr_cpus, 0, &key))
		snprintf(buf, size, "cpu%zu+%zu", key / one, key % one);
	else
		snprintf(buf, size, "table");
	return buf;
}

const char *mc_describe_word(uint32_t word, char *buf, size_t size)
{
	snprintf(buf, size, "%08x", word);
	return buf;
}

const char *mc_kind_name(int kind)
{
	static const char *const names[] = { "none", "AA", "DEADLOCK", "", "TIMEOUT", "" };

	return names[kind];
}

/* A locked word does not contain its owner. */
bool mc_names_owner(uint32_t word, int cpu)
{
	(void)word;
	(void)cpu;
	return true;
}

uint32_t mc_lock_word(int lock)
{
	return sched_locks[lock].word;
}

const char *mc_residue(void)
{
	int i;

	for (i = 0; i < MC_LOCKS; i++) {
		u32 word = mc_lock_word(i);

		if (sched_lock->ticket ? word >> 16 != (word & 0xffff) : word != 0)
			return "left behind: a lock that is not free";
	}
	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (per_cpu(held_table.n, i))
			return "left behind: an entry in a table";
		if (per_cpu(claim_own.held, i) || per_cpu(claim_own.queued, i))
			return "left behind: a lock that is held, or a place in a queue";
		if (per_cpu(cycle_cpus.cnt, i) || per_cpu(cycle_cpus.nr, i))
			return "left behind: an entry in a table, or the record of a wait";
	}
	for (i = 0; i < (int)sizeof(tables); i += 16) {
		if (*(void **)(tables + i))
			return "left behind: a lock in the table of halted heads";
	}
	return NULL;
}

static const struct sched_lock *sched_lock_find(const char *name)
{
	size_t i;

	for (i = 0; name && i < ARRAY_SIZE(all); i++) {
		if (!strcmp(all[i].name, name))
			return &all[i];
	}
	fprintf(stderr, "lab-sched: --lock is one of");
	for (i = 0; i < ARRAY_SIZE(all); i++)
		fprintf(stderr, " %s", all[i].name);
	fprintf(stderr, "\n");
	exit(2);
}

void mc_lock_setup(void)
{
	sched_lock = sched_lock_find(mc_cfg.lock);
	cna_sockets = max(sched_lock->sockets, 1);
	cna_mask = 1;
	shim_init(mc_cfg.ncpu);
}

void mc_lock_reset(void)
{
	size_t size;
	void *area = shim_area(&size);

	memset(area, 0, size);
	memset(sched_locks, 0, sizeof(sched_locks));
	memset(tables, 0, sizeof(tables));
	memset(kicked, 0, sizeof(kicked));
	memset(&sched_order, 0, sizeof(sched_order));
}

bool mc_lock_part(unsigned int no, void **start, size_t *size)
{
	struct {
		void *start;
		size_t size;
	} part[] = {
		{ sched_locks, sizeof(sched_locks) },
		{ tables, tables_used },
		{ kicked, sizeof(kicked) },
		{ &sched_order, sizeof(sched_order) },
		{ NULL, 0 },
	};
	size_t area;

	part[4].start = shim_area(&area);
	part[4].size = area;
	if (no >= ARRAY_SIZE(part))
		return false;
	*start = part[no].start;
	*size = part[no].size;
	return true;
}
