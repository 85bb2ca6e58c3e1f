/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the lock itself tells of a failure (bpf/failure.bpf.c), as a failure. */
#ifndef RQSPIN_SOURCES_TOLD_H
#define RQSPIN_SOURCES_TOLD_H

#include <linux/types.h>
#include <stdbool.h>

struct failure;
struct ksyms;
struct proginfo;
struct witness_chain;
struct witness_told;

/* All but program, line and the lock's name. d: NULL if they are gone. */
void told_failure(const struct witness_told *told, const struct witness_chain *d,
		  struct failure *f);

/*
 * The program of progs, and its line, that called for the lock: from the stack. own_id: the
 * tracer's program, which is on it as well; 0: any of the tool's. False: a program not known here
 * may have called.
 */
bool told_program(const struct witness_told *told, const struct witness_chain *d,
		  const struct proginfo *progs, struct ksyms *ks, __u32 own_id, struct failure *f);

/* The stack in words, innermost first, without the tracing itself; to be freed, or NULL. */
char *told_trace(const struct witness_told *told, const struct witness_chain *d,
		 const struct proginfo *progs, struct ksyms *ks);

#endif
