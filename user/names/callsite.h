/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an address of code is: a line of a BPF program, or a function of the kernel. */
#ifndef RQSPIN_NAMES_CALLSITE_H
#define RQSPIN_NAMES_CALLSITE_H

#include <linux/types.h>
#include <stdbool.h>

struct ksyms;
struct proginfo;

/**
 * struct callsite - where a call was made
 * @prog: the program; NULL: no program, or unknown
 * @line: its line, 0 if unknown
 * @file: last part of the name of the line's file; "" for the program's own file
 * @counting: the call is in a function that 'rqspin run' put between the program and the kernel's
 * @function: function of the kernel; NULL if @prog is set or nothing is known. Valid up to the next
 * search
 */
struct callsite {
	const struct proginfo *prog;
	__u32 line;
	char file[64];
	bool counting;
	const char *function;
};

/*
 * Finds the call of a return address, as of the time when_ns. False: nothing is known. ks may be
 * NULL.
 */
bool callsite_find(const struct proginfo *progs, struct ksyms *ks, __u64 addr, __u64 when_ns,
		   struct callsite *site);

#endif
