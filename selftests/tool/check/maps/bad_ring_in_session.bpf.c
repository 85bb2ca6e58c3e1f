/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A session runs at the end of a function, too. */
/* later: nothing */
/* plain: hangs */
#include "inner.bpf.h"

RING(events);
PROG("kprobe.session/_raw_spin_lock_irqsave", on_lock, inner_emit(&events))
PROG("xdp", on_packet, inner_emit(&events))
