/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each CPU has an element of its own, and no lock. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(PERCPU_ARRAY, counts, 0);
PROG("perf_event", on_sample, inner_put(&counts))
PROG("xdp", on_packet, inner_put(&counts))
