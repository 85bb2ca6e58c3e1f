// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>

#include "doctor/lockmode.h"
#include "kernel/probe.h"
#include "waits/missing.h"

static const struct {
	const char *word, *text;
} kinds[] = {
	[WAITS_FIRST_MISSING] = { "first-waiter",
				  "the first waiter of a lock, which waits beside the queue" },
	[WAITS_TAS_MISSING] = { "test-and-set", "any wait: waiters test and set here, and the "
						"kernel does not tell of that" },
	[WAITS_MISSING_UNKNOWN] = { "unknown", "perhaps some waits: whether waiters queue here is "
					       "unknown" },
};

enum waits_missing waits_missing_find(void)
{
	const char *why;

	if (probe_works(PROBE_TRACEPOINT))
		return WAITS_ALL_SEEN; /* the lock of our series reports every wait */
	switch (lock_mode_watch(&why)) {
	case MODE_QUEUE:
		return WAITS_FIRST_MISSING;
	case MODE_TAS:
		return WAITS_TAS_MISSING;
	default:
		return WAITS_MISSING_UNKNOWN;
	}
}

const char *waits_missing_word(enum waits_missing missing)
{
	return kinds[missing].word;
}

const char *waits_missing_text(enum waits_missing missing)
{
	return kinds[missing].text;
}

const char *waits_missing(void)
{
	return waits_missing_text(waits_missing_find());
}
