/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A kprobe on the unlock of the ring's own lock. */
/* later: nothing */
/* plain: hangs */
#include "inner.bpf.h"

RING(events);
PROG("kprobe/_raw_spin_unlock_irqrestore", on_unlock, inner_emit(&events))
PROG("xdp", on_packet, inner_emit(&events))
