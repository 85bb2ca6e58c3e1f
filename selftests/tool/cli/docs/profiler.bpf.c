// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An example of docs/check.md: samples and context switches in one ring buffer. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

SEC("perf_event") int on_sample(void *ctx)
{
	__u64 *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (event) {
		*event = bpf_ktime_get_ns();
		bpf_ringbuf_submit(event, 0);
	}
	return 0;
}

SEC("tp_btf/sched_switch") int on_switch(void *ctx)
{
	__u64 *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (event) {
		*event = bpf_ktime_get_ns();
		bpf_ringbuf_submit(event, 0);
	}
	return 0;
}
