/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the program and the driver: flows, and which packet belongs to which. */
#ifndef BENCH_FLOWS_H
#define BENCH_FLOWS_H

#define FLOWS_BITS 10
#define FLOWS_NR   (1 << FLOWS_BITS)

/* Alone on its cache line: flows of different threads have nothing in common. */
struct flow {
	struct bpf_res_spin_lock lock;
	__u64 packets, bytes; /* changed under the lock only */
} __attribute__((aligned(64)));

struct flow_key {
	__u32 saddr, daddr;
	__u16 sport, dport;
	__u32 protocol;
};

static inline __u32 flow_slot(const struct flow_key *key)
{
	__u32 hash = key->saddr * 31 + key->daddr;

	hash = hash * 31 + ((__u32)key->sport << 16 | key->dport);
	hash = (hash * 31 + key->protocol) * 2654435761U;
	return hash >> (32 - FLOWS_BITS);
}

#endif
