// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "show/held_view.h"
#include "kernel/heldtab.h"
#include "names/lockname.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/out.h"
#include "kernel/probe.h"
#include "base/stop.h"
#include "trace/spinning.h"
#include "show/print_opts.h"

#define WATCH_MS 1000

enum { KEY_NO_ADDR = 0x1000 };

struct held_cmd {
	struct print_opts print;
	uint64_t watch_ms; /* 0: once */
	uint64_t count;
};

static const struct argp_option options[] = {
	{ "watch", 'w', "MS", OPTION_ARG_OPTIONAL, "Repeat every MS milliseconds (1000)", 1 },
	{ "count", 'c', "N", 0, "Repeat N times, then stop (implies --watch)", 1 },
	{ "no-addr", KEY_NO_ADDR, NULL, 0, "Show no kernel addresses", 2 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
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
		if (h->count && !h->watch_ms)
			h->watch_ms = WATCH_MS;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.doc = "Show which CPU holds or waits for which locks now.\v"
	       "Read from the kernel's per-CPU tables, CPU by CPU: a lock may change hands while "
	       "the tables are read. A CPU's newest entry is a lock that it holds or waits for. Where "
	       "several CPUs have the same one, they are looked at for two milliseconds: those that "
	       "are in the lock's slow path wait. What cannot be told so (interrupts are off there, or "
	       "perf events are refused) is shown as 'holds or waits for'. The task is the one that "
	       "runs on the CPU; it may have been interrupted by the owner.",
};

static int look(struct heldtab *ht, struct locknames *ln, const struct held_cmd *h, int *out_err)
{
	struct spinning sp = { 0 };
	int err = heldtab_snapshot(ht) ?: spinning_find(&sp, ht);

	if (err) {
		spinning_free(&sp);
		pr_err("the tables of held locks cannot be read: %s", strerror(-err));
		return err;
	}
	locknames_scan(ln);
	*out_err = held_print(ht, &sp, ln, &h->print);
	spinning_free(&sp);
	return 0;
}

static int watch(struct heldtab *ht, struct locknames *ln, const struct held_cmd *h)
{
	uint64_t left = h->count ? h->count : h->watch_ms ? UINT64_MAX : 1;
	int err, out_err = 0;

	for (;;) {
		err = look(ht, ln, h, &out_err);
		if (err)
			return err;
		if (out_err || !--left || stop_asked())
			return out_failed(out_err);
		stop_pause(h->watch_ms);
		if (stop_asked())
			return 0;
	}
}

static int run(int argc, char **argv)
{
	struct held_cmd h = {};
	struct locknames *ln;
	struct heldtab *ht;
	char why[256] = "";
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &h);
	if (!probe_allowed())
		return EXIT_UNSUPPORTED;
	stop_init();
	ht = heldtab_open(why, sizeof(why));
	if (!ht) {
		pr_err("held locks cannot be read: %s",
		       probe_known(PROBE_HELD_TABLE) ? why : probe_why(PROBE_HELD_TABLE));
		return EXIT_UNSUPPORTED;
	}
	ln = locknames_open();
	err = ln ? watch(ht, ln, &h) : -ENOMEM;
	locknames_close(ln);
	heldtab_close(ht);
	return err ? EXIT_FAIL : EXIT_OK;
}

const struct cmd cmd_held = {
	.name = "held",
	.summary = "show which CPU holds or waits for which locks",
	.argp = &argp,
	.run = run,
};
