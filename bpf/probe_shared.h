/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by probe.bpf.c and the user space that asks. */
#ifndef RQSPIN_PROBE_SHARED_H
#define RQSPIN_PROBE_SHARED_H

#define PROBE_STDERR 2

/**
 * struct probe_mode - how a waiter waits, as seen by the lock's holder
 * @held: the holder holds the lock
 * @waiting: the waiter is about to wait
 * @word: lock word when the holder let go
 * @wait_ns: how long the waiter waited
 */
struct probe_mode {
	__u32 held;
	__u32 waiting;
	__u32 word;
	__u64 wait_ns;
};

#endif
