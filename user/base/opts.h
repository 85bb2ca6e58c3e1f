/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options every verb takes, and the parsers of their values. */
#ifndef RQSPIN_BASE_OPTS_H
#define RQSPIN_BASE_OPTS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Child parser for --json and --verbose. A verb lists it in its argp's
 * children and hands it a bool on ARGP_KEY_INIT:
 *	state->child_inputs[0] = &json;
 */
extern const struct argp opts_common;

/* The same without --json, for verbs whose data has a format of its own; no input. */
extern const struct argp opts_talk;

/* The text that ends the running verb's --help: from malloc(), or NULL. Takes ownership of it. */
void opts_examples(char *text);

/* Parser and children of a verb without other options and arguments; its input is the bool. */
error_t opts_parse_none(int key, char *arg, struct argp_state *state);
extern const struct argp_child opts_only_common[];

/* argp_error() for messages that quote arguments: escapes unprintable characters in them. */
void opts_error(const struct argp_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Value parsers: 0, or -EINVAL / -ERANGE; nothing is stored on failure. */
int opt_u64(const char *text, uint64_t min, uint64_t max, uint64_t *val);
int opt_size(const char *text, uint64_t min, uint64_t max, uint64_t *val); /* "4096", "64K", "8M" */
int opt_seconds(const char *text, double *val); /* "1.5", "500ms", "2s", "1m" */

#define OPT_CPUS_MAX 1024

/* "0,2-3": in the order given; -EEXIST for a CPU named twice. Returns how many. */
int opt_cpus(const char *text, int cpus[OPT_CPUS_MAX]);

#endif
