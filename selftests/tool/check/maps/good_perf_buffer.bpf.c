/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each CPU has a perf buffer of its own. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} events SEC(".maps");

#define SEND() bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, &failures, 8)
PROG("perf_event", on_sample, SEND())
PROG("xdp", on_packet, SEND())
