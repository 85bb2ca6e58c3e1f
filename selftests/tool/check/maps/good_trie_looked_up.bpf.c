/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The same of a trie. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

TRIE(routes);
SEC("perf_event") int on_sample(void *ctx)
{
	struct trie_key key = { 32, 1 };
	failures += !bpf_map_lookup_elem(&routes, &key);
	return 0;
}
PROG("xdp", on_packet, put_route(&routes))
