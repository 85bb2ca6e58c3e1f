/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by reader and writer, in one object or in two. */
#ifndef SHARED_BPF_H
#define SHARED_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>

struct entry {
	struct bpf_res_spin_lock lock;
	__u64 value;
};

#ifndef PINNING
#define PINNING LIBBPF_PIN_BY_NAME
#endif

#define SHARED(name)                              \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1);           \
		__uint(pinning, PINNING);         \
		__type(key, __u32);               \
		__type(value, struct entry);      \
	} name SEC(".maps")

SHARED(table);
SHARED(journal);

char _license[] SEC("license") = "Dual BSD/GPL";

#endif
