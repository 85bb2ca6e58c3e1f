/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How things are to be printed, and what trace sums up. */
#ifndef RQSPIN_SHOW_PRINT_OPTS_H
#define RQSPIN_SHOW_PRINT_OPTS_H

#include <stdbool.h>

#include "events/losses.h"
#include "events/tally.h"

struct print_opts {
	bool json;
	bool stacks;
	bool no_addr;
	bool stamp; /* each table with its time */
};

/**
 * struct wait_totals - long waits that a recorder has kept
 * @longer_ns: they lasted longer; 0: they were not recorded
 * @events: how many there are
 * @shown: of them, passed the filters and were printed
 * @lost: waits that were overwritten
 * @unknown: there may have been more
 * @not_seen: waits that the kernel does not tell of, in words; NULL: none
 */
struct wait_totals {
	unsigned long long longer_ns, events, shown, lost;
	bool unknown;
	const char *not_seen;
};

struct trace_totals {
	unsigned long long events;  /* handed out by the sources */
	unsigned long long shown;   /* of them, passed the filters and were printed */
	unsigned long long repeats; /* passed the filters, but one alike was printed before */
	unsigned long long foreign; /* of others than the command, with --only-command */
	unsigned long long skipped; /* more than --rate */
	struct losses losses;
	struct wait_totals waits;
	struct tally tally;
	unsigned long long by_kind[8];
};

#endif
