/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which failures to show: the options that trace and stat share. */
#ifndef RQSPIN_TRACE_FILTER_H
#define RQSPIN_TRACE_FILTER_H

#include <argp.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdbool.h>

#include "base/opts.h"

struct failure;

#define TRACE_FILTER_OPTIONS 7

struct trace_filter {
	const char *prog; /* id or name, NULL: any */
	uint64_t pid;	  /* 0: any */
	int cpus[OPT_CPUS_MAX];
	int nr_cpus;				 /* 0: any */
	unsigned int kinds;			 /* bit mask of enum rqspin_kind, 0: any */
	const char *lock;			 /* its name as shown, or its address; NULL: any */
	const char *map;			 /* id or name of the lock's map, NULL: any */
	const char *comm;			 /* the task's name, NULL: any */
	const char *given[TRACE_FILTER_OPTIONS]; /* what was typed for each option, NULL: nothing */
};

/* Child parser for --prog, --pid, --comm, --cpu, --kind, --lock and --map, with that input. */
extern const struct argp trace_filter_argp;

/* Does the filter accept the program? name: the kernel's short one; full: NULL if not known. */
bool trace_filter_prog(const struct trace_filter *flt, __u32 id, const char *name,
		       const char *full);

/* Prints a warning for each program, process or CPU of the filter that is not there (yet). */
struct proginfos;
void trace_filter_warn(const struct trace_filter *flt, const struct proginfos *progs);

/*
 * False if the filter has the id of a program that does not exist; an error is printed. A program
 * may be loaded later only by name.
 */
bool trace_filter_valid(const struct trace_filter *flt);

/* Does the filter have any condition? A condition on the task, which only a single failure has? */
bool trace_filter_any(const struct trace_filter *flt);
bool trace_filter_by_task(const struct trace_filter *flt);
/*
 * Does it have a condition on data that only failures have, not sums of waits by program and lock?
 */
bool trace_filter_beyond_waits(const struct trace_filter *flt);

/* Prints that none of the failures seen matched the filter, if it has any condition. */
void trace_filter_no_match(const struct trace_filter *flt, unsigned long long seen);

struct locknames;
bool trace_filter_match(const struct trace_filter *flt, const struct failure *f,
			struct locknames *names);

#endif
