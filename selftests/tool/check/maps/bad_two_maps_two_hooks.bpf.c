/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two hooks nest the maps in opposite orders: one is in an LRU map, one in a hash map. */
/* later: EDEADLK ENOMEM */
/* plain: hangs */
#include "inner.bpf.h"

MAP(LRU_HASH, recent, 0);
MAP(PERCPU_HASH, sums, BPF_F_NO_PREALLOC);
PROG("kprobe/htab_lru_map_delete_node", on_evict, inner_put(&sums))
PROG("kprobe/pcpu_init_value", on_init, inner_put(&recent))
PROG("xdp", on_packet, inner_put(&recent))
PROG("tc", on_send, inner_put(&sums))
