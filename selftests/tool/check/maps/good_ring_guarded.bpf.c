/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel starts no perf event program on top of a tracepoint's. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

RING(events);
PROG("perf_event", on_sample, inner_emit(&events))
PROG("tp/sched/sched_switch", on_switch, inner_emit(&events))
