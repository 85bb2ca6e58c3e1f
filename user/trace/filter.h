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
	const char *map;			 /* id or name of the map it is in, NULL: any */
	const char *comm;			 /* the task's name, NULL: any */
	const char *given[TRACE_FILTER_OPTIONS]; /* what was typed for each option, NULL: nothing */
};

/* Child parser for --prog, --pid, --comm, --cpu, --kind, --lock and --map, with that input. */
extern const struct argp trace_filter_argp;

/* Is it the program asked for, or any? name: the kernel's short one; full: NULL if not known. */
bool trace_filter_prog(const struct trace_filter *flt, __u32 id, const char *name,
		       const char *full);

/* What is asked for and is not there (yet) is worth a line each. */
struct proginfos;
void trace_filter_warn(const struct trace_filter *flt, const struct proginfos *progs);

/* Is there a program of the id asked for? A name may still come. */
bool trace_filter_valid(const struct trace_filter *flt);

/* Does it ask for anything? For what only the single failure tells, such as its task? */
bool trace_filter_any(const struct trace_filter *flt);
bool trace_filter_by_task(const struct trace_filter *flt);
/* For what only failures have, and waits that are added up by program and lock have not? */
bool trace_filter_beyond_waits(const struct trace_filter *flt);

/* Say that it let nothing pass of what was seen, if it asks for anything. */
void trace_filter_no_match(const struct trace_filter *flt, unsigned long long seen);

struct locknames;
bool trace_filter_match(const struct trace_filter *flt, const struct failure *f,
			struct locknames *names);

#endif
