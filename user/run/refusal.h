/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reason that a verifier's log gives at its end. */
#ifndef RQSPIN_RUN_REFUSAL_H
#define RQSPIN_RUN_REFUSAL_H

#include <stdbool.h>

#define REFUSAL_STEPS 12

/* One step of the path that led to a refusal: "file.bpf.c:53", and what happened there. */
struct refusal_step {
	char at[100];
	char what[200];
};

/**
 * struct refusal - why a program was refused
 * @reason: the verifier's message; its lines are joined
 * @at: "file.bpf.c:53", or "" where the kernel does not print it
 * @text: source of the statement that was verified last, or ""
 * @cause: the explanation that Linux 7.3 and later give, or ""
 * @suggestion: the remedy that these kernels propose, or ""
 * @lock_at: where the lock that is held at the refusal was taken, or ""
 * @steps: the path to the refused instruction; @more_steps: number of steps beyond REFUSAL_STEPS,
 * which are left out
 * @absent_call: the refused call is one of a kernel function that libbpf did not find
 */
struct refusal {
	char reason[500];
	char at[100];
	char text[200];
	char cause[600];
	char suggestion[400];
	char lock_at[100];
	struct refusal_step steps[REFUSAL_STEPS];
	unsigned int nr_steps, more_steps;
	bool absent_call;
};

bool refusal_find(const char *log, struct refusal *r); /* false: the log is not one of a refusal */

#endif
