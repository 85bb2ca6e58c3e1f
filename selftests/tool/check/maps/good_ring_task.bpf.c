/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A task and a packet fill one ring buffer. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

RING(events);
PROG("xdp", on_packet, inner_emit(&events))
PROG("tp_btf/sched_switch", on_switch, inner_emit(&events))
PROG("kprobe/do_exit", on_exit, inner_emit(&events))
