/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From what the user asked to run to roles, CPUs and an object. */
#ifndef RQSPIN_RUN_PLAN_H
#define RQSPIN_RUN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/opts.h"
#include "run/described.h"
#include "run/driver.h"
#include "run/input.h"

#define USER_ROLES_MAX 64

/**
 * struct run_args - what was asked for
 * @what: sample, or path of an object; with @path only what messages call it
 * @path: NULL, or of an object that describes itself
 * @nr_cpus: 0: not given
 * @count, @seconds: 0: no such limit; without both a sample has its own
 * @rate: 0: as fast as it goes
 * @role_names: programs of an object of the user's own
 * @data_in: files with the packets for them, @ctx_in: with their contexts
 */
struct run_args {
	const char *what, *path;
	int cpus[OPT_CPUS_MAX];
	int nr_cpus;
	uint64_t count, rate;
	double seconds;
	char *role_names[USER_ROLES_MAX];
	unsigned int nr_role_names;
	struct input_files data_in, ctx_in;
};

/**
 * struct plan - what will be run
 * @sample: NULL: the user's own object, which does not describe itself
 * @path: of the object
 * @own: it is none of our samples
 * @only_role: the program of an object that has only one, if no role was named
 */
struct plan {
	const struct run_args *args;
	const struct sample *sample;
	char *path;
	bool own;
	char *only_role;
	struct described described;
	struct drive drive;
};

/*
 * 0, or -errno after it has said why: -EINVAL if it cannot be meant like this, -EOPNOTSUPP if this
 * machine or user cannot do it. plan_free() in any case.
 */
int plan_make(struct plan *p, const struct run_args *args);
void plan_free(struct plan *p);

#endif
