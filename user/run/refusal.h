/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a verifier's log says at its end. */
#ifndef RQSPIN_RUN_REFUSAL_H
#define RQSPIN_RUN_REFUSAL_H

#include <stdbool.h>

/**
 * struct refusal - why a program was refused
 * @reason: the verifier's message
 * @at: "file.bpf.c:53", or "" where the kernel does not print it
 * @text: source of the statement that was verified last, or ""
 */
struct refusal {
	char reason[400];
	char at[100];
	char text[200];
};

bool refusal_find(const char *log, struct refusal *r); /* false: it is no log of a refusal */

#endif
