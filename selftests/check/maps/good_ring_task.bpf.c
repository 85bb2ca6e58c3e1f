/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A task and a packet fill one ring buffer. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

RING(events);
PROG("xdp", on_packet, emit(&events))
PROG("tp_btf/sched_switch", on_switch, emit(&events))
PROG("kprobe/do_exit", on_exit, emit(&events))
