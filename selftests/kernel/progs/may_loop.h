/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_TEST_MAY_LOOP_H
#define RQSPIN_TEST_MAY_LOOP_H

/* May a loop go on? Bounded by the kernel, so it is allowed while a lock is held. */
#define may_loop                                                 \
	({                                                       \
		__label__ no, out;                               \
		bool go = true;                                  \
		asm volatile goto("may_goto %l[no]" : : : : no); \
		goto out;                                        \
no:                                                              \
		go = false;                                      \
out:;                                                            \
		go;                                              \
	})

#endif
