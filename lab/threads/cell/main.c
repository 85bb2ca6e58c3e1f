// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures a lock with a number of threads and prints one line of JSON. Campaigns run it for each
 * cell.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../lib/team.h"
#include "cell.h"

enum {
	KEY_HELD = 256,
	KEY_APART,
	KEY_HELD_NS,
	KEY_APART_NS,
	KEY_LINES,
	KEY_REFS,
	KEY_OPS,
	KEY_STALL,
	KEY_LIST
};

static const struct argp_option options[] = {
	{ "lock", 'l', "NAME", 0, "which lock (default qspinlock); --list shows them", 0 },
	{ "threads", 't', "N", 0, "how many want it, 64 at most (default 1)", 0 },
	{ "seconds", 's', "S", 0, "for how long (default 1)", 0 },
	{ "ops", KEY_OPS, "N", 0, "instead: so many operations of each thread", 0 },
	{ "held", KEY_HELD, "N", 0, "pauses with the lock held (default 0)", 0 },
	{ "apart", KEY_APART, "N", 0, "pauses between two operations (default 0)", 0 },
	{ "held-ns", KEY_HELD_NS, "NS", 0, "work with the lock held (default 0)", 0 },
	{ "apart-ns", KEY_APART_NS, "NS", 0, "work between two operations (default 0)", 0 },
	{ "lines", KEY_LINES, "N", 0, "cache lines that a section writes to (default 0, at most 8)",
	  0 },
	{ "refs", KEY_REFS, "N", 0,
	  "atomic additions to one line of all threads before each acquisition (default 0)", 0 },
	{ "embedded", 'e', NULL, 0, "the data is in the lock's cache line", 0 },
	{ "semaphore", 'm', NULL, 0, "an operation is a down and an up of a semaphore", 0 },
	{ "stall-ms", KEY_STALL, "MS", 0,
	  "instead: the first thread holds the lock for so long, --ops times (default 1), and the "
	  "others wait for it; how many fail?",
	  0 },
	{ "ordinary", 'o', NULL, 0, "no real-time priority", 0 },
	{ "list", KEY_LIST, NULL, 0, "print the locks, a line each", 0 },
	{ 0 },
};

static double parse_number(const char *arg, double least, double most, struct argp_state *state)
{
	char *end;
	double x = strtod(arg, &end);

	if (end == arg || *end || !(x >= least && x <= most))
		argp_error(state, "'%s' is no number from %g to %g", arg, least, most);
	return x;
}

static double parse_whole(const char *arg, double most, struct argp_state *state)
{
	double x = parse_number(arg, 0, most, state);

	if (x != (u32)x)
		argp_error(state, "'%s' is no whole number", arg);
	return x;
}

static void list_locks(void)
{
	int i;

	for (i = 0; lab_locks[i]; i++)
		printf("%s\t%s\n", lab_locks[i]->name, lab_locks[i]->about);
	exit(0);
}

static void set_lock(struct cell *c, const char *name, struct argp_state *state)
{
	c->lock = lab_lock_named(name);
	if (!c->lock || c->lock->flags & LAB_NO_LOCK)
		argp_error(state, "no lock '%s'; --list shows them", name);
}

/* Returns false for other keys. */
static bool parse_load(int key, char *arg, struct argp_state *state)
{
	struct cell *c = state->input;

	switch (key) {
	case KEY_HELD:
		c->held = (u32)parse_number(arg, 0, 1e6, state);
		return true;
	case KEY_APART:
		c->apart = (u32)parse_number(arg, 0, 1e6, state);
		return true;
	case KEY_HELD_NS:
		c->held_ns = (u32)parse_number(arg, 0, 1e9, state);
		return true;
	case KEY_APART_NS:
		c->apart_ns = (u32)parse_number(arg, 0, 1e9, state);
		return true;
	case KEY_LINES:
		c->lines = (u32)parse_whole(arg, CELL_LINES, state);
		return true;
	case KEY_REFS:
		c->refs = (u32)parse_whole(arg, 1e6, state);
		return true;
	case KEY_STALL:
		c->stall_ms = (u32)parse_whole(arg, 10000, state);
		return true;
	}
	return false;
}

static error_t cell_parse(int key, char *arg, struct argp_state *state)
{
	struct cell *c = state->input;

	if (parse_load(key, arg, state))
		return 0;
	switch (key) {
	case 'l':
		set_lock(c, arg, state);
		break;
	case 't':
		c->threads = (int)parse_number(arg, 1, 64, state);
		break;
	case 's':
		c->seconds = parse_number(arg, 0.001, 3600, state);
		break;
	case KEY_OPS:
		c->ops = (u64)parse_number(arg, 1, 1e12, state);
		c->seconds = 0;
		break;
	case 'e':
		c->embedded = true;
		break;
	case 'm':
		c->semaphore = true;
		break;
	case 'o':
		lab_real_time = false;
		break;
	case KEY_LIST:
		list_locks();
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, cell_parse, NULL, NULL, NULL, NULL, NULL };
	struct cell c = { .lock = lab_locks[0], .threads = 1, .seconds = 1 };
	json_t *out;
	int ret;

	if (argp_parse(&argp, argc, argv, 0, NULL, &c))
		return 2;
	if (c.lock->flags & LAB_FOREIGN && c.threads > lab_cpus()) {
		fprintf(stderr, "lab-cell: waiters of %s do not give way: %d threads on %d CPUs\n",
			c.lock->name, c.threads, lab_cpus());
		return 3;
	}
	shim_init(c.threads);
	out = c.stall_ms ? stall_run(&c) : cell_run(&c);
	ret = out ? json_dumpf(out, stdout, JSON_COMPACT) : -1;
	printf("\n");
	json_decref(out);
	return ret || fflush(stdout) ? 1 : 0;
}
