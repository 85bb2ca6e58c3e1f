// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Operations of hash maps that failed because of a lock inside the map. Each is
 * attached where it exists and may be traced; the code of LPM tries, queues and
 * ring buffers may not.
 */
#include <vmlinux.h>

#define WITNESS		struct witness
#define WITNESS_DETAILS struct witness_tables
#include "witness.h"
#include "witness.bpf.h"

static __always_inline int map_op(struct bpf_map *map, long ret)
{
	struct witness_tables *d;
	struct witness_place at;
	struct witness *w;

	if (ret != -EDEADLK && ret != -ETIMEDOUT)
		return 0;
	w = witness_reserve(&at);
	if (!w)
		return 0;
	w->kind = WITNESS_MAP_OP;
	w->err = ret;
	w->map_id = BPF_CORE_READ(map, id);
	d = witness_details(&at, w);
	if (d) {
		witness_copy_tables(d, w->cpu);
		witness_use_own(w, &d->own, false);
	}
	witness_count(&at, w, witness_mix(w->map_id, ret));
	witness_publish(&at, w, d);
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
