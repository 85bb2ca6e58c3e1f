// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every way out of a program must release its locks. */
#include "locks.h"

/* Newer kernels report the way out, older ones the missing call. */
#define LEAK "(bpf_res_spin_unlock is missing|cannot be used inside bpf_(res_)?spin_lock-ed region)"

extern void bpf_throw(u64 cookie) __weak __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} next_prog SEC(".maps");

SEC("?tc")
__refused_re(LEAK)
int leak_at_return(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

SEC("?tc")
__refused_re(LEAK)
int leak_on_one_branch(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	if (ctx->len > 100)
		return 1;
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__refused_re(LEAK)
int leak_of_the_outer_lock(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	if (bpf_res_spin_lock(&lock_b))
		return 1;
	bpf_res_spin_unlock(&lock_b);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

static __noinline int take_a(void)
{
	return bpf_res_spin_lock(&lock_a);
}

static __noinline void release_a(void)
{
	bpf_res_spin_unlock(&lock_a);
}

SEC("?tc")
__refused_re(LEAK)
int leak_from_subprogram(struct __sk_buff *ctx)
{
	return take_a() ? 1 : 0;
}

SEC("?tc")
__returns(0)
int subprograms_lock_and_unlock(struct __sk_buff *ctx)
{
	int err = take_a();

	if (err)
		return err;
	release_a();
	return 0;
}

__noinline int global_that_leaks(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a) ? (int)ctx->len : 0;
}

SEC("?tc")
__refused_re(LEAK)
int leak_in_global_function(struct __sk_buff *ctx)
{
	return global_that_leaks(ctx);
}

__noinline int global_that_balances(struct __sk_buff *ctx)
{
	int err = bpf_res_spin_lock(&lock_a);

	if (!err)
		bpf_res_spin_unlock(&lock_a);
	return err ? (int)ctx->len : 0;
}

SEC("?tc")
__returns(0)
int global_function_balances(struct __sk_buff *ctx)
{
	return global_that_balances(ctx);
}

SEC("?tc")
__refused_re("(" NO_CALLS "|tail_call cannot be used inside)")
int leak_by_tail_call(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	bpf_tail_call(ctx, &next_prog, 0);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__needs("bpf_throw")
__refused_re("(" NO_CALLS "|bpf_throw cannot be used inside)")
int leak_by_throw(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	if (ctx->len > 100)
		bpf_throw(0);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

static __noinline int throw_if_long(struct __sk_buff *ctx)
{
	if (ctx->len > 100)
		bpf_throw(0);
	return 0;
}

SEC("?tc")
__needs("bpf_throw")
__refused_re("(" NO_CALLS "|bpf_throw cannot be used inside)")
int leak_by_throw_in_subprogram(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	throw_if_long(ctx);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

unsigned long long load_byte(void *skb, unsigned long long off) asm("llvm.bpf.load.byte");

SEC("?tc")
__refused_re("BPF_LD_\\[ABS\\|IND\\] (cannot be (mixed with|used inside) bpf_(res_)?spin_lock)")
int leak_by_packet_load(struct __sk_buff *ctx)
{
	int byte;

	if (bpf_res_spin_lock(&lock_a))
		return 0;
	byte = load_byte(ctx, 0);
	bpf_res_spin_unlock(&lock_a);
	return byte;
}

/* Each turn of the loop takes the lock and does not release it. */
SEC("?tc")
__refused_re("(Acquiring the same lock again, AA deadlock detected|" LEAK ")")
int leak_by_loop(struct __sk_buff *ctx)
{
	int i;

	for (i = 0; i < 3 && may_loop; i++) {
		if (bpf_res_spin_lock(&lock_a))
			return 0;
	}
	return 0;
}

SEC("?tc")
__returns(100)
int balanced_loop(struct __sk_buff *ctx)
{
	int i, done = 0;

	for (i = 0; i < 100 && may_loop; i++) {
		if (bpf_res_spin_lock(&lock_a))
			return -1;
		bpf_res_spin_unlock(&lock_a);
		done++;
	}
	return done;
}

char _license[] SEC("license") = "Dual BSD/GPL";
