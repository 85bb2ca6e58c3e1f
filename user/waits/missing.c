// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>

#include "doctor/lockmode.h"
#include "kernel/probe.h"
#include "waits/missing.h"

const char *waits_missing(void)
{
	const char *why;

	if (probe(PROBE_TRACEPOINT))
		return NULL; /* the lock of our series tells of every wait */
	switch (lock_mode_watch(&why)) {
	case MODE_QUEUE:
		return "the first waiter of a lock, which waits beside the queue";
	case MODE_TAS:
		return "any wait: waiters test and set here, and the kernel does not tell of that";
	default:
		return "perhaps some waits: whether waiters queue here is unknown";
	}
}
