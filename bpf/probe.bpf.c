// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One program per question that `rqspin doctor` and the tracer ask of the kernel.
 * None is loaded unless its question is asked: user/kernel/probe.c and user/doctor/lockmode.c.
 */
#include <vmlinux.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "probe_shared.h"
#include "own.bpf.h"

#define HOLD_LOOKS (1 << 20) /* some ms after the waiter said that it comes */

#ifndef can_loop
#define can_loop                                                \
	({                                                      \
		__label__ out, next;                            \
		bool more = true;                               \
                                                                \
		asm volatile goto("may_goto %l[out]" :: ::out); \
		goto next;                                      \
out:                                                            \
		more = false;                                   \
next:                                                           \
		more;                                           \
	})
#endif

/* The same kfuncs under names of our own: vmlinux.h may or may not declare them. */
int bpf_res_spin_lock___p(struct bpf_res_spin_lock *lock) __weak __ksym;
void bpf_res_spin_unlock___p(struct bpf_res_spin_lock *lock) __weak __ksym;
int bpf_res_spin_lock_irqsave___p(struct bpf_res_spin_lock *lock,
				  unsigned long *flags) __weak __ksym;
void bpf_res_spin_unlock_irqrestore___p(struct bpf_res_spin_lock *lock,
					unsigned long *flags) __weak __ksym;
void bpf_local_irq_save___p(unsigned long *flags) __weak __ksym;
void bpf_local_irq_restore___p(unsigned long *flags) __weak __ksym;
void *bpf_rdonly_cast___p(const void *obj, __u32 btf_id) __weak __ksym;
/* 6.18 (_impl), 6.17 (aux) and later (plain). */
int bpf_stream_vprintk_impl___p(int stream, const char *fmt, const void *args, __u32 size,
				void *aux) __weak __ksym;
int bpf_stream_vprintk___aux(int stream, const char *fmt, const void *args, __u32 size,
			     void *aux) __weak __ksym;
int bpf_stream_vprintk___plain(int stream, const char *fmt, const void *args,
			       __u32 size) __weak __ksym;

struct slot {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

__u64 nonce;			    /* what rqspin_stream is to say */
__u64 hits;			    /* of attached programs */
__u64 aa_ns;			    /* from before the first lock until after the last unlock */
__u64 aa_task, aa_start, aa_report; /* and when the kernel began its report of it, 0 if not seen */
struct probe_mode mode;

SEC("?syscall")
int rqspin_lock(void *ctx)
{
	unsigned long flags;
	__u32 key = 0;
	struct slot *s = bpf_map_lookup_elem(&slots, &key);

	if (!s || bpf_res_spin_lock___p(&s->lock))
		return -1;
	bpf_res_spin_unlock___p(&s->lock);
	if (bpf_res_spin_lock_irqsave___p(&s->lock, &flags))
		return -1;
	bpf_res_spin_unlock_irqrestore___p(&s->lock, &flags);
	return 0;
}

/* No clock can be read while a lock is held. */
SEC("?syscall")
int rqspin_aa(void *ctx)
{
	__u32 key = 0;
	struct slot *s = bpf_map_lookup_elem(&slots, &key);
	struct slot *again = bpf_map_lookup_elem(&slots, &key);
	__u64 start;
	int err;

	if (!s || !again)
		return -1;
	aa_report = 0;
	aa_task = bpf_get_current_pid_tgid();
	aa_start = start = bpf_ktime_get_ns();
	if (bpf_res_spin_lock___p(&s->lock))
		return -1;
	err = bpf_res_spin_lock___p(&again->lock);
	if (!err)
		bpf_res_spin_unlock___p(&again->lock);
	bpf_res_spin_unlock___p(&s->lock);
	aa_ns = bpf_ktime_get_ns() - start;
	return err;
}

/* The lock has failed by now; what follows is for the report. */
SEC("?fentry/bpf_prog_find_from_stack")
int rqspin_report(void *ctx)
{
	if (!aa_report && bpf_get_current_pid_tgid() == aa_task)
		aa_report = bpf_ktime_get_ns();
	return 0;
}

SEC("?syscall")
int rqspin_irq(void *ctx)
{
	unsigned long flags;

	bpf_local_irq_save___p(&flags);
	bpf_local_irq_restore___p(&flags);
	return 0;
}

SEC("?syscall")
int rqspin_stream(void *ctx)
{
	static const char fmt[] = "rqspin %llu\n";
	__u64 args[] = { nonce };

	if (bpf_ksym_exists(bpf_stream_vprintk_impl___p))
		return bpf_stream_vprintk_impl___p(PROBE_STDERR, fmt, args, sizeof(args), NULL);
	if (bpf_ksym_exists(bpf_stream_vprintk___plain))
		return bpf_stream_vprintk___plain(PROBE_STDERR, fmt, args, sizeof(args));
	if (bpf_ksym_exists(bpf_stream_vprintk___aux))
		return bpf_stream_vprintk___aux(PROBE_STDERR, fmt, args, sizeof(args), NULL);
	return -1;
}

/* Only BPF_PROG_TEST_RUN calls this function of the kernel. */
SEC("?fentry/bpf_fentry_test1")
int BPF_PROG(rqspin_fentry, int a)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

SEC("?fexit/bpf_fentry_test1")
int BPF_PROG(rqspin_fexit, int a, int ret)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

SEC("?kprobe/bpf_fentry_test1")
int rqspin_kprobe(struct pt_regs *ctx)
{
	return 0;
}

SEC("?tp_btf/contention_begin")
int BPF_PROG(rqspin_begin, void *lock, unsigned int flags)
{
	return 0;
}

SEC("?tp_btf/contention_end")
int BPF_PROG(rqspin_end, void *lock, int ret)
{
	return 0;
}

/*
 * Queue or test-and-set: a queueing waiter leaves a mark in the lock word beside
 * the owner's byte, a test-and-set waiter does not. The holder looks for the mark
 * through an untrusted pointer, because a program may not read the lock itself.
 */
/* Locked byte, and high bits of the owner's CPU. */
#define WORD_OWNER 0xfeffu

SEC("?syscall")
int rqspin_hold(void *ctx)
{
	__u32 key = 0, left = HOLD_LOOKS, seen = 0;
	struct slot *s = bpf_map_lookup_elem(&slots, &key);
	struct bpf_res_spin_lock *word;

	if (!s)
		return -1;
	word = bpf_rdonly_cast___p(&s->lock, bpf_core_type_id_kernel(struct bpf_res_spin_lock));
	if (bpf_res_spin_lock___p(&s->lock))
		return -1;
	*(volatile __u32 *)&mode.held = 1;
	while (left && !(seen & ~WORD_OWNER) && can_loop) {
		seen = *(volatile __u32 *)&word->val;
		left -= *(volatile __u32 *)&mode.waiting;
	}
	mode.word = seen;
	bpf_res_spin_unlock___p(&s->lock);
	return 0;
}

SEC("?syscall")
int rqspin_wait(void *ctx)
{
	__u32 key = 0;
	struct slot *s = bpf_map_lookup_elem(&slots, &key);
	__u64 start;

	if (!s)
		return -1;
	while (!*(volatile __u32 *)&mode.held && can_loop)
		;
	start = bpf_ktime_get_ns();
	*(volatile __u32 *)&mode.waiting = 1;
	if (bpf_res_spin_lock___p(&s->lock))
		return -1;
	bpf_res_spin_unlock___p(&s->lock);
	mode.wait_ns = bpf_ktime_get_ns() - start;
	return 0;
}

SEC("?iter/bpf_map_elem")
int rqspin_element(struct bpf_iter__bpf_map_elem *ctx)
{
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
