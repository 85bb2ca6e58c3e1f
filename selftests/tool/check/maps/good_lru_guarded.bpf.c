/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nor on top of a kprobe's. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(LRU_HASH, counts, 0);
PROG("perf_event", on_sample, inner_put(&counts))
PROG("kprobe/do_exit", on_exit, inner_put(&counts))
