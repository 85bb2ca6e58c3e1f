// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Describes the lock to the scheduler: where its memory is, and the names of its parts. */
#include <stdio.h>
#include <stdlib.h>

#include "glue.h"

#define CHAIN_OFFSET offsetof(struct res_cpu, chain)

/* Slots that a CPU cannot fill with the scripts' locks. */
#define HELD_UNUSED offsetof(struct res_cpu, held[MC_LOCKS])
#define HELD_END    (offsetof(struct res_cpu, held) + sizeof(((struct res_cpu *)0)->held))

struct mc_lock mc_locks[MC_LOCKS];
unsigned int mc_tag_cpus, mc_page_cpus;

/* Walks that are over, a bit for each depth: their remains are no part of the state. */
static uint8_t old_walks[MC_CPUS];

struct field {
	const char *name;
	size_t start;
	size_t size;
	size_t stride;
	enum mc_class class;
};

#define FIELD(f, c)                                 \
	{ .name = #f,                               \
	  .start = offsetof(struct res_cpu, f),     \
	  .size = sizeof(((struct res_cpu *)0)->f), \
	  .class = (c) }
#define SLOTS(f, c)                                      \
	{ .name = #f,                                    \
	  .start = offsetof(struct res_cpu, f),          \
	  .size = sizeof(((struct res_cpu *)0)->f),      \
	  .stride = sizeof(((struct res_cpu *)0)->f[0]), \
	  .class = (c) }

static const struct field fields[] = {
	FIELD(nwait, MC_PRIVATE), FIELD(nheld, MC_SHARED), FIELD(escaping, MC_PRIVATE),
	FIELD(backoff, MC_ALIEN), SLOTS(wait, MC_SHARED),  SLOTS(node, MC_SHARED),
	SLOTS(held, MC_SHARED),	  FIELD(lost, MC_ALIEN),   SLOTS(chain, MC_ALIEN),
};

static const char *const wait_parts[] = { ".seq", ".stage", ".claim", ".pid",  ".lock",
					  "",	  ".ip",    "",	      ".front" };
static const char *const node_parts[] = { ".state", ".tail", ".prev" };

/* Finds the CPU whose area @addr is in, and the offset there. */
static bool find_cpu(const volatile void *addr, int *cpu, size_t *offset)
{
	uintptr_t a = (uintptr_t)addr;
	int i;

	for (i = 0; i < mc_cfg.ncpu; i++) {
		struct res_cpu *rc = per_cpu_ptr(&res_cpu, i);

		if (a - (uintptr_t)rc < sizeof(*rc)) {
			*cpu = i;
			*offset = a - (uintptr_t)rc;
			return true;
		}
	}
	return false;
}

static const struct field *find_field(size_t offset)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (offset - fields[i].start < fields[i].size)
			return &fields[i];
	}
	return NULL;
}

static int find_tag(const volatile void *addr)
{
	int i;

	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (addr == per_cpu_ptr(&res_spin_tag, i))
			return i;
	}
	return -1;
}

/* Is it a member of a wait record that only reports use? */
static bool is_told_only(size_t offset)
{
	offset %= sizeof(struct res_wait);
	return offset == offsetof(struct res_wait, ip) || offset == offsetof(struct res_wait, pid);
}

static enum mc_class classify_field(int cpu, size_t offset)
{
	const struct field *f = find_field(offset);

	if (offset >= CHAIN_OFFSET)
		old_walks[cpu] &= ~(1U << (offset - CHAIN_OFFSET) / sizeof(struct res_chain));
	if (f && f->class == MC_PRIVATE && cpu != mc.cur)
		mc_fail("a word that was thought private is used by another CPU");
	if (f && f->start == offsetof(struct res_cpu, wait) && is_told_only(offset - f->start))
		return MC_ALIEN;
	/* Scripts hold few locks: an access to a slot that stays free is no step. */
	if (offset >= HELD_UNUSED && offset < HELD_END)
		return MC_ALIEN;
	return f ? f->class : MC_ALIEN;
}

enum mc_class mc_classify(const volatile void *addr, uint32_t *key)
{
	size_t offset = (uintptr_t)addr - (uintptr_t)mc_locks;
	int cpu;

	if (offset < sizeof(mc_locks)) {
		*key = offset / sizeof(mc_locks[0]) + 1;
		return MC_SHARED;
	}
	if (find_cpu(addr, &cpu, &offset)) {
		*key = (cpu + 1) << 16 | offset;
		return classify_field(cpu, offset);
	}
	return find_tag(addr) >= 0 ? MC_PRIVATE : MC_ALIEN;
}

/* A CPU that pauses has ended its walk. */
void mc_paused(int cpu)
{
	u32 nwait = per_cpu_ptr(&res_cpu, cpu)->nwait;

	if (nwait)
		old_walks[cpu] |= 1U << (nwait - 1);
}

static const char *part_of(const struct field *f, size_t rest)
{
	if (!f)
		return "";
	if (f->start == offsetof(struct res_cpu, wait) && rest / 4 < ARRAY_SIZE(wait_parts))
		return wait_parts[rest / 4];
	if (f->start == offsetof(struct res_cpu, node) && rest / 4 < ARRAY_SIZE(node_parts))
		return node_parts[rest / 4];
	return "";
}

const char *mc_describe(const volatile void *addr, char *buf, size_t size)
{
	size_t offset = (uintptr_t)addr - (uintptr_t)mc_locks;
	const struct field *f;
	int cpu;

	if (offset < sizeof(mc_locks)) {
		snprintf(buf, size, "%c%s", (char)('A' + offset / sizeof(mc_locks[0])),
			 offset % sizeof(mc_locks[0]) == 2 ? ".tail" :
			 offset % sizeof(mc_locks[0]) == 1 ? ".pending" :
							     "");
		return buf;
	}
	if (!find_cpu(addr, &cpu, &offset)) {
		snprintf(buf, size, "cpu%d.tag", find_tag(addr));
		return buf;
	}
	f = find_field(offset);
	offset -= f ? f->start : 0;
	if (f && f->stride)
		snprintf(buf, size, "cpu%d.%s[%zu]%s", cpu, f->name, offset / f->stride,
			 part_of(f, offset % f->stride));
	else
		snprintf(buf, size, "cpu%d.%s%s", cpu, f ? f->name : "?", part_of(f, offset));
	return buf;
}

const char *mc_describe_word(uint32_t word, char *buf, size_t size)
{
	u32 tail = word & _Q_TAIL_MASK;

	if (!tail)
		snprintf(buf, size, "%08x tag=%u%s", word, word & RES_TAG_MASK,
			 word & RES_PENDING_MASK ? " pending" : "");
	else
		snprintf(buf, size, "%08x tag=%u%s tail=cpu%u/%u", word, word & RES_TAG_MASK,
			 word & RES_PENDING_MASK ? " pending" : "",
			 (word >> _Q_TAIL_CPU_OFFSET) - 1,
			 (word & _Q_TAIL_IDX_MASK) >> _Q_TAIL_IDX_OFFSET);
	return buf;
}

const char *mc_kind_name(int kind)
{
	static const char *const names[] = { "none", "AA", "ABBA", "CYCLE", "TIMEOUT", "NESTED" };

	return kind >= 0 && kind < (int)ARRAY_SIZE(names) ? names[kind] : "?";
}

uint32_t mc_lock_word(int lock)
{
	return (uint32_t)mc_locks[lock].lock.val.counter;
}

bool mc_names_owner(uint32_t word, int cpu)
{
	u32 tag = word & RES_TAG_MASK;

	return tag == (res_is_escaped(word) ? res_escape_tag(cpu) : res_base_tag(cpu));
}

static const char *cpu_residue(int cpu)
{
	struct res_cpu *rc = per_cpu_ptr(&res_cpu, cpu);
	int i;

	for (i = 0; i < RES_NR_DEPTH; i++) {
		if (rc->wait[i].seq & RES_SEQ_LIVE || rc->wait[i].lock)
			return "left behind: a live wait record";
	}
	for (i = 0; i < RES_NR_HELD; i++) {
		if (rc->held[i])
			return "left behind: an entry in the escape table";
	}
	for (i = 0; i < RES_NR_NODES; i++) {
		if (rc->node[i].state.counter & RES_STATE_MASK)
			return "left behind: a node";
	}
	if (rc->nwait || rc->nheld || rc->escaping)
		return "left behind: a count of this CPU";
	return per_cpu(res_spin_tag, cpu) == res_base_tag(cpu) ? NULL : "the tag is not restored";
}

/* Returns what differs from the initial state, or NULL. */
const char *mc_residue(void)
{
	const char *what;
	int i;

	for (i = 0; i < MC_LOCKS; i++) {
		if (!res_is_free(mc_lock_word(i)))
			return "left behind: a lock word that is not free";
	}
	for (i = 0; i < mc_cfg.ncpu; i++) {
		what = cpu_residue(i);
		if (what)
			return what;
	}
	return NULL;
}

static void on_failure(const struct shim_failure *f)
{
	mc_reported(f->kind, f->ret);
}

void mc_lock_setup(void)
{
	if (mc_cfg.lock) {
		fprintf(stderr, "mc: no lock '%s': there is one only, and it has no name\n",
			mc_cfg.lock);
		exit(2);
	}
	mc_tag_cpus = mc_cfg.tag_cpus;
	mc_page_cpus = mc_cfg.page_cpus;
	shim_init(mc_cfg.ncpu);
	shim_on_failure = on_failure;
}

void mc_lock_reset(void)
{
	int i;

	memset(mc_locks, 0, sizeof(mc_locks));
	memset(old_walks, 0xff, sizeof(old_walks));
	for (i = 0; i < mc_cfg.ncpu; i++)
		memset(per_cpu_ptr(&res_cpu, i), 0, sizeof(struct res_cpu));
}

/* Size of a walk that is not over, with the hop that is being filled in. */
static size_t walk_size(int cpu, int depth)
{
	struct res_cpu *rc = per_cpu_ptr(&res_cpu, cpu);
	struct res_chain *chain = &rc->chain[depth];

	if (old_walks[cpu] & 1U << depth || (u32)depth >= rc->nwait)
		return 0;
	return offsetof(struct res_chain, hop) +
	       min(chain->n + 1, (u32)RES_MAX_HOPS) * sizeof(chain->hop[0]);
}

bool mc_lock_part(unsigned int no, void **start, size_t *size)
{
	unsigned int cpu, depth;

	if (no == 0) {
		*start = mc_locks;
		*size = sizeof(mc_locks);
		return true;
	}
	if (no == 1) {
		*start = old_walks;
		*size = sizeof(old_walks);
		return true;
	}
	cpu = (no - 2) / (RES_NR_DEPTH + 2);
	if (cpu >= (unsigned int)mc_cfg.ncpu)
		return false;
	depth = (no - 2) % (RES_NR_DEPTH + 2);
	if (depth < RES_NR_DEPTH) {
		*start = &per_cpu_ptr(&res_cpu, cpu)->chain[depth];
		*size = walk_size(cpu, depth);
	} else if (depth == RES_NR_DEPTH) {
		*start = per_cpu_ptr(&res_cpu, cpu);
		*size = CHAIN_OFFSET;
	} else {
		*start = per_cpu_ptr(&res_spin_tag, cpu);
		*size = sizeof(res_spin_tag);
	}
	return true;
}
