/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much a recorder holds, and what that costs. */
#ifndef RQSPIN_RECORD_HOLDINGS_H
#define RQSPIN_RECORD_HOLDINGS_H

#include <linux/types.h>
#include <stdbool.h>

#include "events/lineup.h"

/**
 * struct holding - what one source holds
 * @source: its name
 * @written: failures, or waits, recorded since the recorder was started
 * @kept: of these, those that are still there
 * @missed: calls that its programs did not see, because they came while one of them ran
 * @unsure: events that may have been failures, or long waits
 */
struct holding {
	char source[16];
	__u64 written, kept, missed, unsure;
};

/**
 * struct holdings - what all sources hold
 * @nr: sources that write into memory of the recorder
 * @of: these sources
 * @waits: long waits, if these are recorded
 * @rings: memory of programs that report themselves, which the recorder keeps
 * @memory: bytes of kernel memory of its programs and maps, without @rings
 */
struct holdings {
	int nr;
	struct holding of[LINEUP_MAX];
	struct holding waits;
	__u32 rings;
	__u64 memory;
};

/*
 * @sources: names with commas between. @waits: long waits are recorded. 0, or -errno after printing
 * why.
 */
int holdings_read(struct holdings *h, const char *folder, const char *sources, bool waits);

#endif
