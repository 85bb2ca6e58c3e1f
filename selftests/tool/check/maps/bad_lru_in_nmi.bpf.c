/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts by key in an LRU map, out of samples and of a raw tracepoint. */
/* later: EDEADLK ENOMEM ETIMEDOUT */
/* plain: hangs */
#include "inner.bpf.h"

MAP(LRU_HASH, counts, 0);
PROG("perf_event", on_sample, inner_put(&counts))
PROG("raw_tp/sched_wakeup", on_wakeup, inner_put(&counts))
