/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The same of an LRU map. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(LRU_HASH, counts, 0);
PROG("perf_event", on_sample, failures += inner_get(&counts))
PROG("xdp", on_packet, inner_put(&counts))
