// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "held_arena.h"
#include "../output/held_view.h"
#include "../kernel/heldtab.h"
#include "../names/lockname.h"
#include "../base/grow.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../base/out.h"
#include "../kernel/probe.h"
#include "../base/stop.h"
#include "../events/spinning.h"
#include "../output/print_opts.h"

#define WATCH_MS 1000

enum { KEY_NO_ADDR = 0x1000, KEY_ARENA, KEY_WORD };

struct held_cmd {
	struct print_opts print;
	uint64_t watch_ms; /* 0: once */
	uint64_t count;
	struct held_arena_opts arena;
};

/* What is looked at: the tables of held locks, or an arena. */
struct held_seen {
	struct heldtab *table;
	struct locknames *names;
	struct held_arena *arena;
};

static const struct argp_option options[] = {
	{ "watch", 'w', "MS", OPTION_ARG_OPTIONAL, "Repeat every MS milliseconds (1000)", 1 },
	{ "count", 'c', "N", 0, "Repeat N times, then stop (implies --watch)", 1 },
	{ "arena", KEY_ARENA, "ID|NAME", 0, "Show the words of the locks in this arena instead",
	  2 },
	{ "word", KEY_WORD, "NAME|OFFSET", 0,
	  "Only this lock of the arena, or those of this variable; may be given again", 2 },
	{ "no-addr", KEY_NO_ADDR, NULL, 0, "Show no addresses", 3 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static void word_add(struct held_cmd *h, const char *word, const struct argp_state *state)
{
	if (!*word)
		opts_error(state, "--word: '' is no lock");
	if (grow_append((void **)&h->arena.words, &h->arena.nr_words, &word, sizeof(word)))
		argp_failure(state, EXIT_FAIL, ENOMEM, "--word");
}

static void end_parse(struct held_cmd *h, const struct argp_state *state)
{
	if (h->count && !h->watch_ms)
		h->watch_ms = WATCH_MS;
	if (h->arena.nr_words && !h->arena.map)
		opts_error(state, "--word needs --arena");
}

static error_t cmd_held_parse(int key, char *arg, struct argp_state *state)
{
	struct held_cmd *h = state->input;
	uint64_t ms;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &h->print.json;
		return 0;
	case 'w':
		h->watch_ms = WATCH_MS;
		if (arg && opt_u64(arg, 1, 3600000, &h->watch_ms))
			opts_error(state,
				   "--watch: '%s' is not a number of milliseconds, 1 to "
				   "3600000",
				   arg);
		return 0;
	case 'c':
		if (opt_u64(arg, 1, UINT64_MAX, &h->count))
			opts_error(state, "--count: '%s' is not a positive number", arg);
		return 0;
	case KEY_ARENA:
		h->arena.map = arg;
		return 0;
	case KEY_WORD:
		word_add(h, arg, state);
		return 0;
	case KEY_NO_ADDR:
		h->print.no_addr = true;
		return 0;
	case ARGP_KEY_ARG:
		if (h->watch_ms && !opt_u64(arg, 1, 3600000, &ms))
			opts_error(state,
				   "write -w%s or --watch=%s: what follows a space is no "
				   "part of the option",
				   arg, arg);
		else
			opts_error(state, "takes no arguments, but got '%s'", arg);
		return EINVAL;
	case ARGP_KEY_END:
		end_parse(h, state);
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_held_parse,
	.children = children,
	.doc = "Show which CPU holds or waits for which locks now.\v"
	       "Read from the kernel's per-CPU tables, CPU by CPU: a lock may change hands while "
	       "the tables are read. A CPU's newest entry is a lock that it holds or waits for. Where "
	       "several CPUs have the same one, they are looked at for two milliseconds: those that "
	       "are in the lock's slow path wait. What cannot be told so (interrupts are off there, or "
	       "perf events are refused) is shown as 'holds or waits for'. The task is the one that "
	       "runs on the CPU; it may have been interrupted by the owner.\n"
	       "The kernel has no table of locks in an arena, which programs make themselves. "
	       "--arena shows the words of those that have a name: variables of a type that is "
	       "called a lock, or that RES_ARENA_DEFINE() names. A word tells whether the lock is "
	       "free; that of arena_spinlock_t also tells that a waiter is next, and the CPU of the "
	       "last waiter in the queue. Who holds the lock is not known. The arena is read from "
	       "the kernel's side, so pages that do not exist stay away.",
};

static int table_look(const struct held_seen *seen, const struct print_opts *print, int *out_err)
{
	struct spinning sp = { 0 };
	int err = heldtab_snapshot(seen->table) ?: spinning_find(&sp, seen->table);

	if (err) {
		spinning_free(&sp);
		pr_err("the tables of held locks cannot be read: %s", strerror(-err));
		return err;
	}
	locknames_scan(seen->names);
	*out_err = held_print(seen->table, &sp, seen->names, print);
	spinning_free(&sp);
	return 0;
}

static int held_watch(const struct held_seen *seen, const struct held_cmd *h)
{
	uint64_t left = h->count ? h->count : h->watch_ms ? UINT64_MAX : 1;
	int err, out_err = 0;

	for (;;) {
		err = seen->arena ? held_arena_look(seen->arena, &h->print, &out_err) :
				    table_look(seen, &h->print, &out_err);
		if (err)
			return err;
		if (out_err || !--left || stop_asked())
			return out_failed(out_err);
		stop_pause(h->watch_ms);
		if (stop_asked())
			return 0;
	}
}

static int arena_watch(const struct held_cmd *h)
{
	struct held_seen seen = { 0 };
	int err;

	seen.arena = held_arena_open(&h->arena, &err);
	if (!seen.arena)
		return cmd_exit_code(err);
	err = held_watch(&seen, h);
	held_arena_close(seen.arena);
	return err ? EXIT_FAIL : EXIT_OK;
}

static int table_watch(const struct held_cmd *h)
{
	struct held_seen seen = { 0 };
	char why[256] = "";
	int err;

	seen.table = heldtab_open(why, sizeof(why));
	if (!seen.table) {
		pr_err("held locks cannot be read: %s",
		       probe_known(PROBE_HELD_TABLE) ? why : probe_why(PROBE_HELD_TABLE));
		return EXIT_UNSUPPORTED;
	}
	seen.names = locknames_open();
	err = seen.names ? held_watch(&seen, h) : -ENOMEM;
	locknames_close(seen.names);
	heldtab_close(seen.table);
	return err ? EXIT_FAIL : EXIT_OK;
}

static int cmd_held_run(int argc, char **argv)
{
	struct held_cmd h = {};
	int code = EXIT_UNSUPPORTED;

	argp_parse(&argp, argc, argv, 0, NULL, &h);
	if (probe_allowed()) {
		stop_init();
		code = h.arena.map ? arena_watch(&h) : table_watch(&h);
	}
	free(h.arena.words);
	return code;
}

const struct cmd cmd_held = {
	.name = "held",
	.summary = "show which CPU holds or waits for which locks",
	.argp = &argp,
	.run = cmd_held_run,
};
