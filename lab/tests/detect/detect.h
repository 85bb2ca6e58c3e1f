/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_DETECT_H
#define LAB_DETECT_H

#include <jansson.h>

#include "../../threads/lib/stat.h"
#include "../../locks/locks.h"

/* Results of a scenario's rounds. */
struct outcome {
	u64 rounds;
	u64 victims;  /* -EDEADLK */
	u64 single;   /* rounds with exactly one */
	u64 timeouts; /* of members */
	u64 wrong_kind;
	u64 bystanders, bystander_errors;
	u64 disturbed;			   /* rounds not judged: a thread lost its CPU */
	u64 stuck;			   /* members that failed twice */
	struct lab_samples latency;	   /* closing call to first error, ns */
	struct lab_samples bystander_wait; /* ns */
	/* First error to the next acquisition of that lock, ns: anybody's, the failed thread's. */
	struct lab_samples anybody, again;
};

/*
 * Where bystanders, which hold no lock, wait for the locks of a ring: nowhere, behind the members,
 * or in front of them.
 */
enum order { ALONE, AFTER, BEFORE };

struct ring {
	int members;
	int bystanders; /* for each lock */
	enum order order;
};

/* The failure that this thread's last acquisition reported. */
struct failure {
	u32 kind;
	u32 hops;
};

extern __thread struct failure last_failure;
void watch_failures(void);

double cycles_to_ns(u64 cycles);

void run_aa(const struct lab_ops *ops, int rounds, struct outcome *out);
void run_ring(const struct lab_ops *ops, const struct ring *ring, int rounds, struct outcome *out);
/* The owner keeps the lock until all waiters have given up. */
void run_stall(const struct lab_ops *ops, int waiters, struct outcome *out);
/* The owner lets go as soon as the first one has given up, and whoever has given up tries again. */
void run_release(const struct lab_ops *ops, int waiters, int rounds, struct outcome *out);

/* A row of the report. */
json_t *outcome_json(const char *lock, const char *scenario, struct outcome *o);
/* Prints how soon the locks of @report were acquired again after a failure. */
void print_recovery(const json_t *report);

#endif /* LAB_DETECT_H */
