/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes a failure of a record that the lock itself reported (bpf/failure.bpf.c). */
#ifndef RQSPIN_SOURCES_TOLD_H
#define RQSPIN_SOURCES_TOLD_H

#include <linux/types.h>
#include <stdbool.h>

struct failure;
struct ksyms;
struct proginfo;
struct witness_chain;
struct witness_told;

/*
 * Sets all but program, line and the lock's name. d: the record's details, NULL if they are gone.
 */
void told_failure(const struct witness_told *told, const struct witness_chain *d,
		  struct failure *f);

/*
 * Finds the program of progs that called for the lock, and the line, by the stack. own_id: the
 * tracer's program, which is on the stack, too; 0: any program of the tool. False: an unknown
 * program may have made the call.
 */
bool told_program(const struct witness_told *told, const struct witness_chain *d,
		  const struct proginfo *progs, struct ksyms *ks, __u32 own_id, struct failure *f);

/* The stack as text, innermost frame first, without the tracing itself; to be freed, or NULL. */
char *told_trace(const struct witness_told *told, const struct witness_chain *d,
		 const struct proginfo *progs, struct ksyms *ks);

#endif
