/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lock waits go to the stack that packets go to. */
/* later: EBUSY */
/* plain: hangs */
#include "inner.bpf.h"

QUEUE(STACK, events);
PROG("raw_tp/contention_end", on_end, inner_push(&events))
PROG("xdp", on_packet, inner_push(&events))
