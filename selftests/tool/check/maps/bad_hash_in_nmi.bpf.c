/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples and packets count in one hash map. */
/* later: EDEADLK */
/* plain: EBUSY */
#include "inner.bpf.h"

MAP(HASH, counts, 0);
PROG("perf_event", on_sample, inner_put(&counts))
PROG("xdp", on_packet, inner_put(&counts))
