// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "check/mapops.h"
#include "errors/table.h"
#include "kernel/maplocks.h"

/* Most map types have their own function for an operation; its name has the same end. */
static const struct {
	const char *name;
	bool whole;
	const char *op;
	int reg;
} functions[] = {
	{ "_update_elem", false, "update", BPF_REG_1 },
	{ "_delete_elem", false, "delete", BPF_REG_1 },
	{ "_push_elem", false, "push", BPF_REG_1 },
	{ "_pop_elem", false, "pop", BPF_REG_1 },
	{ "_peek_elem", false, "peek", BPF_REG_1 },
	{ "bpf_ringbuf_output", true, "output", BPF_REG_1 },
	{ "bpf_ringbuf_reserve", true, "reserve", BPF_REG_1 },
	{ "bpf_ringbuf_reserve_dynptr", true, "reserve_dynptr", BPF_REG_1 },
	{ "bpf_get_stackid", true, "get_stackid", BPF_REG_2 },
	{ "bpf_get_stackid_tp", true, "get_stackid", BPF_REG_2 },
	{ "bpf_get_stackid_raw_tp", true, "get_stackid", BPF_REG_2 },
	{ "bpf_get_stackid_pe", true, "get_stackid", BPF_REG_2 },
};

static bool function_matches(const char *name, const char *row, bool whole)
{
	size_t len = strlen(name), n = strlen(row);

	return whole ? !strcmp(name, row) : len > n && !strcmp(name + len - n, row);
}

const char *mapop_find(const char *function, int *reg)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!function_matches(function, functions[i].name, functions[i].whole))
			continue;
		*reg = functions[i].reg;
		return functions[i].op;
	}
	return NULL;
}

const char *mapop_type(const struct check_map *m)
{
	return libbpf_bpf_map_type_str(m->type) ?: "";
}

bool mapop_has_freelist(const struct check_map *m)
{
	switch (m->type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
		return !(m->flags & BPF_F_NO_PREALLOC);
	default:
		return m->type == BPF_MAP_TYPE_STACK_TRACE;
	}
}

bool mapop_allocates(const struct check_map *m)
{
	return m->flags & BPF_F_NO_PREALLOC &&
	       (m->type == BPF_MAP_TYPE_HASH || m->type == BPF_MAP_TYPE_PERCPU_HASH ||
		m->type == BPF_MAP_TYPE_LPM_TRIE);
}

bool mapop_of_user_space(const struct check_map *m)
{
	return m->type != BPF_MAP_TYPE_RINGBUF && m->type != BPF_MAP_TYPE_STACK_TRACE;
}

/* Local storage has a lock for each owner, and arenas other operations: neither is followed. */
#define FOLLOWED                                                                                 \
	(1U << MAPLOCK_BUCKET | 1U << MAPLOCK_FREELIST | 1U << MAPLOCK_LRU | 1U << MAPLOCK_LPM | \
	 1U << MAPLOCK_QUEUE | 1U << MAPLOCK_RINGBUF)

unsigned int mapop_locks(const struct check_map *m, const char *op)
{
	unsigned int locks = maplocks_of_type(m->type) & FOLLOWED, taken = 0;

	if (mapop_has_freelist(m))
		locks |= 1U << MAPLOCK_FREELIST;
	for (int lock = MAPLOCK_NONE + 1; lock < MAPLOCK_NR; lock++)
		if (locks & 1U << lock && map_error_nested(mapop_type(m), op, lock))
			taken |= 1U << lock;
	return taken;
}
