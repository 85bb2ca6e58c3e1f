/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns what the user asked to run into roles, CPUs and an object. */
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
 * @what: a sample, or the path of an object; with @path only its name in messages
 * @path: NULL, or the path of an object that describes itself
 * @nr_cpus: 0: not given
 * @count, @seconds: 0: no such limit; without both a sample has its own
 * @rate: 0: as fast as it goes
 * @role_names: programs of an object of the user's own
 * @data_in: files with the packets for these programs; @ctx_in: files with their contexts
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
 * @sample: NULL for the user's own object if it does not describe itself
 * @path: of the object
 * @own: the object is none of our samples
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
 * Returns 0, or -errno after printing why: -EINVAL if the arguments are wrong, -EOPNOTSUPP if this
 * machine or user cannot run it. Call plan_free() in any case.
 */
int plan_make(struct plan *p, const struct run_args *args);
void plan_free(struct plan *p);

#endif
