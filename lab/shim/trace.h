/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracepoints. A failure calls a function of the user, and so does contention_end, if there is one;
 * contention_begin is off, as in a kernel that nobody traces.
 */
#ifndef LAB_SHIM_TRACE_H
#define LAB_SHIM_TRACE_H

#include "compiler.h"

#define LCB_F_SPIN 1U

struct qspinlock;
struct res_chain;

struct shim_failure {
	const void *lock;
	u32 kind; /* enum res_kind */
	int ret;
	u64 wait_ns;
	int owner;
	unsigned long ip;
	const struct res_chain *chain;
};

extern void (*shim_on_failure)(const struct shim_failure *f);
/* Called at the end of a wait, before its report. */
extern void (*shim_on_end)(void);

static inline void trace_contention_begin(void *lock, unsigned int flags)
{
	(void)lock;
	(void)flags;
}

static inline void trace_contention_end(void *lock, int ret)
{
	(void)lock;
	(void)ret;
#ifndef SHIM_EXTERN
	if (unlikely(shim_on_end))
		shim_on_end();
#endif
}

#define trace_rqspinlock_failure(lock_, kind_, ret_, wait_, owner_, chain_, ip_) \
	do {                                                                     \
		if (shim_on_failure) {                                           \
			struct shim_failure f_ = {                               \
				.lock = (lock_),                                 \
				.kind = (kind_),                                 \
				.ret = (ret_),                                   \
				.wait_ns = (wait_),                              \
				.owner = (owner_),                               \
				.chain = (chain_),                               \
				.ip = (ip_),                                     \
			};                                                       \
			shim_on_failure(&f_);                                    \
		}                                                                \
	} while (0)

#endif /* LAB_SHIM_TRACE_H */
