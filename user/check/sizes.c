// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "check/sizes.h"

#define ELEMENTS     64
#define STACK_FRAMES 127

/* The kernel or libbpf gives these a size, or they must have none. */
static bool has_no_size(enum bpf_map_type type)
{
	const char *name = libbpf_bpf_map_type_str(type);

	return !name || strstr(name, "storage") || type == BPF_MAP_TYPE_PERF_EVENT_ARRAY ||
	       type == BPF_MAP_TYPE_STRUCT_OPS;
}

static __u32 elements(enum bpf_map_type type)
{
	switch (type) {
	case BPF_MAP_TYPE_RINGBUF:
	case BPF_MAP_TYPE_USER_RINGBUF:
		return sysconf(_SC_PAGESIZE);
	case BPF_MAP_TYPE_CPUMAP:
		return libbpf_num_possible_cpus();
	default:
		return ELEMENTS;
	}
}

bool sizes_complete(struct bpf_map *map)
{
	enum bpf_map_type type = bpf_map__type(map);
	bool changed = false;

	if (!bpf_map__max_entries(map) && !has_no_size(type))
		changed = !bpf_map__set_max_entries(map, elements(type));
	if (!bpf_map__value_size(map) && type == BPF_MAP_TYPE_STACK_TRACE)
		changed |= !bpf_map__set_value_size(map, STACK_FRAMES * sizeof(__u64));
	return changed;
}
