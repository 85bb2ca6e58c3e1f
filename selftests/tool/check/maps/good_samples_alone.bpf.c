/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nobody else has the map. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(LRU_PERCPU_HASH, counts, 0);
PROG("perf_event", on_sample, inner_put(&counts))
PROG("perf_event", on_other, inner_put(&counts))
