/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples look up what packets update: that takes no lock. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(HASH, counts, 0);
PROG("perf_event", on_sample, failures += inner_get(&counts))
PROG("xdp", on_packet, inner_put(&counts))
