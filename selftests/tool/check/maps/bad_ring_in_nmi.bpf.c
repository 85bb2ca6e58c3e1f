/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A profiler that samples and follows context switches with one ring buffer. */
/* later: NULL */
/* plain: NULL */
#include "inner.bpf.h"

RING(events);
PROG("perf_event", on_sample, inner_emit(&events))
PROG("tp_btf/sched_switch", on_switch, inner_emit(&events))
