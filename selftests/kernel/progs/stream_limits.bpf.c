// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Streams with a reader that stalls, in a memory cgroup, and with a stack of freed programs. */
#include "test_kfuncs.h"
#include <bpf/bpf_tracing.h>

#define STREAM_STDOUT 1

/* 6.12 with our series, 6.17 (aux), 6.18 (_impl) and later (plain). */
extern int bpf_stream_vprintk_impl___t(int stream_id, const char *fmt__str, const void *args,
				       __u32 len__sz, void *aux__prog) __weak __ksym;
extern int bpf_stream_vprintk___aux(int stream_id, const char *fmt__str, const void *args,
				    __u32 len__sz, void *aux__prog) __weak __ksym;
extern int bpf_stream_vprintk___plain(int stream_id, const char *fmt__str, const void *args,
				      __u32 len__sz) __weak __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct locked_value);
} values SEC(".maps");

__u32 lines, target_tid;
__u64 written, refused;
int report_err;

static __always_inline int print_number(const char *fmt, __u64 *arg)
{
	if (bpf_ksym_exists(bpf_stream_vprintk___plain))
		return bpf_stream_vprintk___plain(STREAM_STDOUT, fmt, arg, sizeof(*arg));
	if (bpf_ksym_exists(bpf_stream_vprintk___aux))
		return bpf_stream_vprintk___aux(STREAM_STDOUT, fmt, arg, sizeof(*arg), NULL);
	return bpf_stream_vprintk_impl___t(STREAM_STDOUT, fmt, arg, sizeof(*arg), NULL);
}

/* A line has 25 bytes: LINE_SIZE of prog_tests/stream_limits.c. */
static int write_line(__u32 i, void *ctx)
{
	static const char fmt[] = "0123456789abcdef%08x\n";
	__u64 arg = i;

	if (print_number(fmt, &arg))
		__sync_fetch_and_add(&refused, 1);
	else
		__sync_fetch_and_add(&written, 1);
	return 0;
}

SEC("?syscall")
int write_lines(void *ctx)
{
	bpf_loop(lines, write_line, NULL, 0);
	return 0;
}

/* Runs on top of the program that calls the helper. */
SEC("?fentry/bpf_get_current_uid_gid")
int BPF_PROG(fail_on_top)
{
	__u32 first = 0, second = opaque(first);
	struct locked_value *v, *again;

	if ((__u32)bpf_get_current_pid_tgid() != target_tid)
		return 0;
	v = bpf_map_lookup_elem(&values, &first);
	again = bpf_map_lookup_elem(&values, &second);
	if (!v || !again || bpf_res_spin_lock(&v->lock))
		return 0;
	report_err = bpf_res_spin_lock(&again->lock);
	if (!report_err)
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&v->lock);
	return 0;
}

SEC("?syscall")
int below(void *ctx)
{
	return bpf_get_current_uid_gid() == 1;
}

/* As large as below(), so that it gets the memory of below() once that is freed. */
SEC("?syscall")
int filler(void *ctx)
{
	return bpf_get_current_uid_gid() == 1;
}

char _license[] SEC("license") = "Dual BSD/GPL";
