// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Operations of hash maps that failed because of a lock inside the map. Each is
 * attached where it exists and may be traced; the code of LPM tries, queues and
 * ring buffers may not.
 */
#include <vmlinux.h>

#include "witness.bpf.h"

#define EDEADLK	  35
#define ETIMEDOUT 110

static __always_inline int map_op(struct bpf_map *map, long ret)
{
	struct witness *w;
	__u64 seq;

	if (ret != -EDEADLK && ret != -ETIMEDOUT)
		return 0;
	w = witness_reserve(&seq);
	if (!w)
		return 0;
	w->kind = WITNESS_MAP_OP;
	w->err = ret;
	w->map_id = BPF_CORE_READ(map, id);
	witness_copy_tables(w);
	witness_publish(w, seq);
	return 0;
}

#define UPDATE(function)                                                                           \
	SEC("?fexit/" #function)                                                                   \
	int BPF_PROG(function, struct bpf_map *map, void *key, void *value, __u64 flags, long ret) \
	{                                                                                          \
		return map_op(map, ret);                                                           \
	}

#define DELETE(function)                                                 \
	SEC("?fexit/" #function)                                         \
	int BPF_PROG(function, struct bpf_map *map, void *key, long ret) \
	{                                                                \
		return map_op(map, ret);                                 \
	}

UPDATE(htab_map_update_elem)
UPDATE(htab_lru_map_update_elem)
UPDATE(htab_percpu_map_update_elem)
UPDATE(htab_lru_percpu_map_update_elem)
DELETE(htab_map_delete_elem)
DELETE(htab_lru_map_delete_elem)
