/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that complete an object: what its file does not have. */
#ifndef RQSPIN_CHECK_LOAD_OPTS_H
#define RQSPIN_CHECK_LOAD_OPTS_H

#include <argp.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

/* @prog: NULL: all programs whose section names no type; @used: there is such a program */
struct load_type {
	const char *prog;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	bool used;
};

/* @name: of the variable; @index: of an array's element; @used: an object has it */
struct load_value {
	char *name;
	unsigned long index;
	long long value;
	bool used;
};

/* @seconds: of CPU time for each attempt to load an object */
struct load_opts {
	struct load_type *types;
	size_t nr_types;
	struct load_value *values;
	size_t nr_values;
	double seconds;
};

/* CPU time for each attempt. For a large object the kernel needs a tenth of it. */
#define LOAD_SECONDS 300

extern const struct argp load_argp; /* its input is a struct load_opts */

/* The type given for the program, whose section names none; or NULL. */
const struct load_type *load_opts_type(struct load_opts *opts, const char *prog);
void load_opts_free(struct load_opts *opts);

#endif
