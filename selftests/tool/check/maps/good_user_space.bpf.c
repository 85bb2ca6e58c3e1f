/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Only user space updates the map. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(HASH, settings, 0);
PROG("perf_event", on_sample, failures += inner_get(&settings))
PROG("tp_btf/contention_end", on_end, failures += inner_get(&settings))
