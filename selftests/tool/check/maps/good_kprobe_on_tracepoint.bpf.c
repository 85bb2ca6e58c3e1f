/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Neither of these is started on top of the other. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

RING(events);
PROG("kprobe/_raw_spin_unlock_irqrestore", on_unlock, inner_emit(&events))
PROG("tp/sched/sched_switch", on_switch, inner_emit(&events))
