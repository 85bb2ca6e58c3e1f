/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The memory of the fallback lock, a map ".bss.rqspin_fb": shared by BPF programs
 * and by user space that includes their skeleton. Include vmlinux.h (BPF) or
 * <linux/types.h> (user space) first.
 */
#ifndef RQSPIN_RES_FALLBACK_H
#define RQSPIN_RES_FALLBACK_H

/* CPUs with wait records (at most 1023). On others only AA and timeouts are found. */
#ifndef RES_FALLBACK_CPUS
#define RES_FALLBACK_CPUS 256
#endif

#define RES_FB_SLOTS   8  /* waits at once per CPU: nested contexts, preempted tasks */
#define RES_FB_PARTIES 16 /* longest cycle found; a longer one ends by timeout */

/**
 * struct res_fb_record - one wait, readable by every CPU
 * @tag: tag of the waiter, 0 if the record is free
 * @pass: 0 walk not begun, 1 collecting, 2 confirming
 * @seq: odd while the wait is as described here; even before, after, and while a
 *       context nested above the wait may hold locks under the same tag
 * @lock: address of the lock waited for
 * @fence: target of the atomics that are used as memory barriers
 * @next_walk: time of the next walk, ns
 * @interval: time between walks, ns
 * @cycle_since: when a cycle with a higher-ranking victim was first confirmed, ns
 * @wants: address of the lock that the owner of @lock waits for
 * @at: tag that the walk has reached
 * @hop: number of tags walked over
 * @parties: length of the cycle being confirmed
 * @higher: number of its members that must fail before this one
 * @chain: the waits walked over: sequence number, CPU and slot
 */
struct res_fb_record {
	__u32 tag;
	__u32 pass;
	__u64 seq;
	__u64 lock;
	__u64 fence;
	__u64 next_walk;
	__u64 interval;
	__u64 cycle_since;
	__u64 wants;
	__u32 at;
	__u32 hop;
	__u32 parties;
	__u32 higher;
	__u64 chain[RES_FB_PARTIES];
};

/**
 * struct res_fb_failure - what is known about the last failure on a CPU
 * @lock: address of the attempted lock
 * @wait_ns: time from the first look at the lock to the verdict
 * @owner_wants: address of the lock that the owner waited for, 0 if none
 * @tag: tag of the context that failed
 * @kind: enum rqspin_kind
 * @parties: members of the cycle (1: AA), 0 after a timeout
 * @owner_cpu: CPU of the owner of @lock, -1 if the lock had just been released
 * @owner_tid: thread that owns @lock, valid with @owner_cpu
 */
struct res_fb_failure {
	__u64 lock;
	__u64 wait_ns;
	__u64 owner_wants;
	__u32 tag;
	__u32 kind;
	__u32 parties;
	__s32 owner_cpu;
	__u32 owner_tid;
};

struct res_fb_cpu {
	__u32 waiters;
	struct res_fb_failure last;
	struct res_fb_record slots[RES_FB_SLOTS];
} __attribute__((aligned(64)));

struct res_fb_state {
	struct res_fb_cpu cpus[RES_FALLBACK_CPUS];
};

#endif /* RQSPIN_RES_FALLBACK_H */
