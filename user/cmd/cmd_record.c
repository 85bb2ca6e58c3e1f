// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../base/duration.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "cmd.h"
#include "../kernel/probe.h"
#include "../events/recorder/holdings.h"
#include "../events/recorder/recorder.h"
#include "../output/record_view.h"
#include "../events/sources/longwaits.h"
#include "trace_options.h"
#include "../waits/missing.h"

enum { KEY_KEEP = 0x1000, KEY_WAITS, KEY_STACKS, KEY_SOURCE, KEY_STATUS, KEY_STOP, KEY_BPFFS };

#define WAIT_MIN_NS 1000
#define WITHOUT	    "without the option failures alone are recorded"

enum what { START, STATUS, STOP };

struct record_cmd {
	struct recorder_order order;
	enum what what;
	const char *given; /* an option for starting */
	bool json;
};

static const struct argp_option options[] = {
	{ "status", KEY_STATUS, NULL, 0, "Say whether the recorder runs, and how much it holds",
	  1 },
	{ "stop", KEY_STOP, NULL, 0,
	  "Stop recording, and remove everything, also what was recorded", 1 },
	{ "keep", KEY_KEEP, "N", 0,
	  "Failures to keep per CPU and source (16 to 65536; default 256)", 2 },
	{ "wait-longer-than", KEY_WAITS, "TIME", 0,
	  "Keep waits, too, that end well but last longer (seconds, or with ms, s, m, h); N of each "
	  "CPU, in memory of their own",
	  2 },
	{ "stacks", KEY_STACKS, NULL, 0, "Keep whole call traces: trace --last --stacks shows them",
	  2 },
	{ "source", KEY_SOURCE, "LIST", 0, "Use exactly these sources: ", 2 },
	{ "bpffs", KEY_BPFFS, "DIR", 0, "Live in this BPF file system instead of " PLACE_BPFFS, 3 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static void record_choose(struct record_cmd *r, const struct argp_state *state, enum what what)
{
	if (r->what != START && r->what != what)
		opts_error(state, "--status and --stop are two things to do");
	r->what = what;
}

static void record_parse_wait(struct record_cmd *r, const char *arg, const struct argp_state *state)
{
	double longer;

	if (opt_seconds(arg, &longer))
		opts_error(state, "--wait-longer-than: '%s' is not a time like 10, 500ms or 2m",
			   arg);
	r->order.longer_ns = longer * 1e9;
	/* Other waits are no longer than that themselves. */
	if (r->order.longer_ns < WAIT_MIN_NS)
		opts_error(state, "--wait-longer-than: '%s' is less than a microsecond (0.001ms)",
			   arg);
}

static error_t record_parse(int key, char *arg, struct argp_state *state)
{
	struct record_cmd *r = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->json;
		return 0;
	case KEY_KEEP:
		r->given = "--keep";
		if (opt_u64(arg, RECORDER_KEEP_MIN, RECORDER_KEEP_MAX, &r->order.keep))
			opts_error(state, "--keep: '%s' is not a number from 16 to 65536", arg);
		return 0;
	case KEY_WAITS:
		r->given = "--wait-longer-than";
		record_parse_wait(r, arg, state);
		return 0;
	case KEY_STACKS:
		r->given = "--stacks";
		r->order.stacks = true;
		return 0;
	case KEY_SOURCE:
		r->given = "--source";
		r->order.sources = arg;
		return 0;
	case KEY_BPFFS:
		r->order.bpffs = arg;
		return 0;
	case KEY_STATUS:
		record_choose(r, state, STATUS);
		return 0;
	case KEY_STOP:
		record_choose(r, state, STOP);
		return 0;
	case ARGP_KEY_ARG:
		opts_error(state, "takes no arguments, but got '%s'", arg);
		return EINVAL;
	case ARGP_KEY_END:
		if (r->what != START && r->given)
			opts_error(state, "%s is for starting the recorder", r->given);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static char *record_help(int key, const char *text, void *input)
{
	const struct source *const *sources = recorder_sources();
	char *all = NULL;
	size_t size;
	FILE *out;

	(void)input;
	out = key == KEY_SOURCE ? open_memstream(&all, &size) : NULL;
	if (!out)
		return (char *)text;
	fputs(text, out);
	for (size_t i = 0; sources[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "", sources[i]->name);
	fclose(out);
	return all;
}

static const struct argp argp = {
	.options = options,
	.parser = record_parse,
	.children = children,
	.help_filter = record_help,
	.doc = "Keep the last failures in memory, for 'rqspin trace --last'.\v"
	       "A flight recorder: small BPF programs write down each failure, as those of 'rqspin "
	       "trace' do. They go on when this command has ended, until --stop or the next boot: "
	       "they are pinned in the folder rqspin/recorder of the BPF file system. Their memory "
	       "is fixed, and new failures overwrite the oldest. With --wait-longer-than it also keeps "
	       "waits that did not fail, as far as the kernel tells of them; they never take the "
	       "place of a failure. Where it tells of none the exit status is 3, and nothing is "
	       "started. With --status the exit status is 1 if no recorder runs.",
};

/* Asked before the recorder starts, because the question makes programs wait. */
static int record_ask_waits(struct recorder_order *order)
{
	enum waits_missing missing;
	char why[256];

	if (!probe_allowed())
		return -EOPNOTSUPP;
	if (!source_longwaits.usable(why, sizeof(why))) {
		pr_err("--wait-longer-than: waits cannot be seen here: %s; " WITHOUT, why);
		return -EOPNOTSUPP;
	}
	missing = waits_missing_find();
	order->not_seen = waits_missing_text(missing);
	if (missing == WAITS_TAS_MISSING) {
		pr_err("--wait-longer-than: not seen here: %s; 'rqspin export --waits' samples "
		       "such waiters; " WITHOUT,
		       order->not_seen);
		return -EOPNOTSUPP;
	}
	if (order->not_seen)
		pr_warn("waits that are NOT recorded: %s", order->not_seen);
	return 0;
}

static void record_say(const struct recorder_about *about)
{
	char longer[16], waits[64] = "";

	if (about->longer_ns)
		snprintf(waits, sizeof(waits), ", and the last %u waits longer than %s",
			 about->keep, format_ns(about->longer_ns, longer));
	pr_info("recording of each CPU: the last %u failures%s; sources: %s; 'rqspin trace --last' "
		"shows them",
		about->keep, waits, about->sources);
}

static int record_start(struct record_cmd *r)
{
	struct recorder_about about;
	int err = r->order.longer_ns ? record_ask_waits(&r->order) : 0;

	err = err ?: recorder_start(&r->order, &about);
	if (err)
		return cmd_exit_code(err);
	record_say(&about);
	return EXIT_OK;
}

static int record_stop(const struct record_cmd *r)
{
	bool was = false;
	int err = recorder_stop(r->order.bpffs, &was);

	if (err)
		return cmd_exit_code(err);
	pr_info("%s", was ? "the recorder and what it recorded are removed" : "no recorder ran");
	return EXIT_OK;
}

static int record_status(const struct record_cmd *r)
{
	struct recorder_about about;
	struct holdings held = {};
	struct place place;
	int err = recorder_find(r->order.bpffs, &place, &about);

	if (!err)
		err = holdings_read(&held, place.whole, about.sources, about.longer_ns);
	if (err)
		return cmd_exit_code(err);
	return record_view(&about, place.whole, &held, r->json) ? EXIT_FAIL : EXIT_OK;
}

static int record_run(int argc, char **argv)
{
	struct record_cmd r = { .order = { .bpffs = PLACE_BPFFS, .keep = RECORDER_KEEP } };

	argp_parse(&argp, argc, argv, 0, NULL, &r);
	switch (r.what) {
	case START:
		return record_start(&r);
	case STOP:
		return record_stop(&r);
	case STATUS:
		return record_status(&r);
	}
	return EXIT_FAIL;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "keep the last failures, and long waits, in memory, for trace --last",
	.argp = &argp,
	.run = record_run,
};
