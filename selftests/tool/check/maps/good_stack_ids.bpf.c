/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* If a free list is taken, the next CPU's will do. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 64);
	__uint(key_size, 4);
	__uint(value_size, 64);
} stacks SEC(".maps");
PROG("perf_event", on_sample, failures += bpf_get_stackid(ctx, &stacks, 0) < 0)
PROG("raw_tp/sched_wakeup", on_wakeup, failures += bpf_get_stackid(ctx, &stacks, 0) < 0)
