/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the lock itself tells of a failure (bpf/failure.bpf.c), as a failure. */
#ifndef RQSPIN_TOLD_H
#define RQSPIN_TOLD_H

#include <linux/types.h>
#include <stdbool.h>

struct failure;
struct ksyms;
struct proginfos;
struct witness;

/* All but program, line and the lock's name. */
void told_failure(const struct witness *w, struct failure *f);

/*
 * The program and line that called for the lock, from the stack. own_id: the tracer's program, which
 * is on it as well. False: that could not be looked at, so a program may have called.
 */
bool told_program(const struct witness *w, struct proginfos *progs, struct ksyms *ks, __u32 own_id,
		  struct failure *f);

#endif
