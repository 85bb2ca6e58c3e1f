/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who waits for the ring's lock does not have it yet. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

RING(events);
PROG("tp_btf/contention_begin", on_begin, inner_emit(&events))
PROG("xdp", on_packet, inner_emit(&events))
