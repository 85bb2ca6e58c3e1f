// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A state: the world, the lock's memory, and the used part of each stack. */
#include <string.h>

#include "mc.h"

struct part {
	void *start;
	size_t size;
};

#define MAX_PARTS 128

static unsigned int parts_collect(struct part *part)
{
	unsigned int n = 0;
	int i;

	part[n++] = (struct part){ &mc, offsetof(struct mc_world, cpu[mc_cfg.ncpu]) };
	while (mc_lock_part(n - 1, &part[n].start, &part[n].size))
		n++;
	for (i = 0; i < mc_cfg.ncpu; i++) {
		part[n].start = mc.cpu[i].sp;
		part[n].size = mc_stack_top(i) - (char *)mc.cpu[i].sp;
		n++;
	}
	return n;
}

static uint64_t hash_mix(uint64_t h, uint64_t a, uint64_t b)
{
	unsigned __int128 m =
		(unsigned __int128)(h ^ a ^ 0x9e3779b97f4a7c15ULL) * (b ^ 0xd6e8feb86659fd93ULL);

	return (uint64_t)m ^ (uint64_t)(m >> 64) ^ (h << 1 | h >> 63);
}

static uint64_t hash_bytes(uint64_t h, const char *p, size_t size)
{
	uint64_t w[2];

	for (; size >= 16; p += 16, size -= 16) {
		memcpy(w, p, 16);
		h = hash_mix(h, w[0], w[1]);
	}
	if (size) {
		memset(w, 0, sizeof(w));
		memcpy(w, p, size);
		h = hash_mix(h, w[0], w[1]);
	}
	return h;
}

/* Equal states may differ in their counts of rounds: sets these to 0, or @back to their values. */
static void swap_counts(uint32_t saved[MC_CPUS][MC_LEVELS], bool back)
{
	int cpu, level;

	for (cpu = 0; cpu < mc_cfg.ncpu; cpu++) {
		for (level = 0; level <= mc.cpu[cpu].level; level++) {
			uint32_t *count = mc.cpu[cpu].ctx[level].uncounted;

			if (!count)
				continue;
			if (!back)
				saved[cpu][level] = *count;
			*count = back ? saved[cpu][level] : 0;
		}
	}
}

/* How a state was reached is no part of it. */
uint64_t mc_hash(void)
{
	uint32_t counts[MC_CPUS][MC_LEVELS];
	struct part part[MAX_PARTS];
	uint32_t steps = mc.steps, notes = mc.notes, path = mc.path;
	unsigned int i, n = parts_collect(part);
	uint64_t h = 1;

	mc.steps = 0;
	mc.notes = 0;
	mc.path = 0;
	swap_counts(counts, false);
	for (i = 0; i < n; i++)
		h = hash_bytes(h + part[i].size, part[i].start, part[i].size);
	swap_counts(counts, true);
	mc.steps = steps;
	mc.notes = notes;
	mc.path = path;
	return h ? h : 1;
}

static size_t size_padded(size_t size)
{
	return (size + 7) & ~7UL;
}

/* At most what mc_save() needs. */
size_t mc_save_bound(void)
{
	struct part part[MAX_PARTS];
	unsigned int i, n = parts_collect(part);
	size_t size = sizeof(struct part);

	for (i = 0; i < n; i++)
		size += sizeof(struct part) + size_padded(part[i].size);
	return size;
}

size_t mc_save(char *to)
{
	struct part part[MAX_PARTS];
	unsigned int i, n = parts_collect(part);
	char *p = to;

	part[n++] = (struct part){ NULL, 0 };
	for (i = 0; i < n; i++) {
		memcpy(p, &part[i], sizeof(part[i]));
		memcpy(p + sizeof(part[i]), part[i].start, part[i].size);
		p += sizeof(part[i]) + size_padded(part[i].size);
	}
	return p - to;
}

void mc_restore(const char *from)
{
	struct part part;

	for (;;) {
		memcpy(&part, from, sizeof(part));
		if (!part.start)
			return;
		memcpy(part.start, from + sizeof(part), part.size);
		from += sizeof(part) + size_padded(part.size);
	}
}
