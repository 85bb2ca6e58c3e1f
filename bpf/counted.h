/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How often programs called the kernel's lock functions: counted.bpf.c adds them up. */
#ifndef RQSPIN_COUNTED_H
#define RQSPIN_COUNTED_H

#define COUNTED_MAP  ".bss.rqcounted"
#define COUNTED_FILE "counted.bpf.c" /* whose lines are none of the user's */

/**
 * struct counted_calls - calls of the lock functions
 * @ok: that took the lock
 * @edeadlk: that returned -EDEADLK
 * @etimedout: that returned -ETIMEDOUT
 * @other: that returned anything else
 */
struct counted_calls {
	__u64 ok;
	__u64 edeadlk;
	__u64 etimedout;
	__u64 other;
};

#endif
