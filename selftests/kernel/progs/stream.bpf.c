// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Failed acquisitions are reported to the program's error stream. */
#include "test_kfuncs.h"

#define STREAM_STDERR 2

/* The second name has the explicit last argument of 6.18, the first the implicit one of 7.x. */
extern int bpf_stream_vprintk(int stream_id, const char *fmt__str, const void *args,
			      __u32 len__sz) __weak __ksym;
extern int bpf_stream_vprintk_impl(int stream_id, const char *fmt__str, const void *args,
				   __u32 len__sz, void *aux__prog) __weak __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct locked_value);
} values SEC(".maps");

__u64 lock_address;

static __always_inline struct locked_value *element_of(__u32 key)
{
	return bpf_map_lookup_elem(&values, &key);
}

/* Can this kernel stage a message at all? */
SEC("?syscall")
int probe_stream(void *ctx)
{
	__u64 unused = 0;

	if (bpf_ksym_exists(bpf_stream_vprintk))
		return bpf_stream_vprintk(STREAM_STDERR, "probe", &unused, 0);
	if (bpf_ksym_exists(bpf_stream_vprintk_impl))
		return bpf_stream_vprintk_impl(STREAM_STDERR, "probe", &unused, 0, NULL);
	return -1;
}

SEC("?syscall")
int deadlock_aa(void *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);
	int err;

	if (!a || !again)
		return 1;
	lock_address = (__u64)&a->lock;
	if (bpf_res_spin_lock(&a->lock))
		return 2;
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&a->lock);
	return err;
}

SEC("?syscall")
int no_deadlock(void *ctx)
{
	struct locked_value *a = element_of(0);
	int err;

	if (!a)
		return 1;
	err = bpf_res_spin_lock(&a->lock);
	if (!err)
		bpf_res_spin_unlock(&a->lock);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
