/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A question to a ring buffer takes no lock. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

RING(events);
PROG("perf_event", on_sample, failures += bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA))
PROG("xdp", on_packet, inner_emit(&events))
