/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the test's BPF programs and its driver; include __u32 and __u64 first. */
#ifndef RQSPIN_TEST_SHARED_H
#define RQSPIN_TEST_SHARED_H

#define FB_LOCKS    4
#define FB_MAX_CPUS 64

/* One lock per cache line. */
struct fb_lock {
	__u32 word;
	__u32 pad[15];
};

/* Argument of every syscall program. */
struct fb_args {
	__u32 first; /* index of the lock taken first */
	__u32 second;
	__u32 parties; /* number of parties that meet before the second lock is tried */
	__u32 count;
	__u64 round;
	__u64 hold_ns;
};

/* The failure recorded by the last failing call of a role; indexed by fb_args.first. */
struct fb_seen {
	__s32 err;
	__u32 kind;
	__u32 parties;
	__s32 owner_cpu;
	__u64 wait_ns;
	__u64 lock;
	__u64 owner_wants;
};

struct fb_counts {
	__u64 taken;
	__u64 deadlocks;
	__u64 timeouts;
	__u64 false_deadlocks; /* reported although this CPU held no lock below */
};

#endif
