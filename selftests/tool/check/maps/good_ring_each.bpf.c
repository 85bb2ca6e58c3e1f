/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each program has a ring buffer of its own. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

RING(samples);
RING(switches);
PROG("perf_event", on_sample, inner_emit(&samples))
PROG("tp_btf/sched_switch", on_switch, inner_emit(&switches))
