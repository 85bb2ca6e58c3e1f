// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bystanders of a deadlock: they take one lock at a time, so they are in none themselves. The
 * deadlock is that of latency.bpf.c, and the driver makes its lock_a this one's, too.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "attempts.bpf.h"
#include "storm.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STORM_CPUS);
	__type(key, __u32);
	__type(value, struct own);
} owns SEC(".maps");

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
__u64 count; /* of the bystanders of lock_a, changed under it only */

static long own_take(__u32 i, void *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct own *own = bpf_map_lookup_elem(&owns, &cpu);
	__u64 begin = bpf_ktime_get_ns();
	int err;

	if (!own)
		return 1;
	err = res_spin_lock(&own->lock);
	if (!err) {
		own->count++;
		res_spin_unlock(&own->lock);
	}
	attempt_note(begin, err);
	return 0;
}

/* A lock that nobody else takes. */
SEC("tc")
int own_run(struct __sk_buff *ctx)
{
	return bpf_loop(STORM_BATCH, own_take, NULL, 0) != STORM_BATCH;
}

static long shared_take(__u32 i, void *ctx)
{
	__u64 begin = bpf_ktime_get_ns();
	int err = res_spin_lock(&lock_a);

	if (!err) {
		count++;
		res_spin_unlock(&lock_a);
	}
	attempt_note(begin, err);
	return 0;
}

SEC("tc")
int shared_run(struct __sk_buff *ctx)
{
	return bpf_loop(STORM_BATCH, shared_take, NULL, 0) != STORM_BATCH;
}

char _license[] SEC("license") = "Dual BSD/GPL";
