/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lock waits and context switches in one ring buffer. */
/* later: NULL */
/* plain: hangs */
#include "inner.bpf.h"

RING(events);
PROG("tp_btf/contention_end", on_end, inner_emit(&events))
PROG("tp_btf/sched_switch", on_switch, inner_emit(&events))
