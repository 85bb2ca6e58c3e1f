// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/opts.h"
#include "check/result.h"
#include "check/view_json.h"
#include "check/view_text.h"
#include "cmd.h"
#include "kernel/probe.h"

struct check_cmd {
	bool json;
	char **objects;
	int nr_objects;
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct check_cmd *c = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->json;
		return 0;
	case ARGP_KEY_ARGS:
		c->objects = state->argv + state->next;
		c->nr_objects = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (!c->nr_objects)
			opts_error(state, "which object? Name one or more files (*.bpf.o)");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.parser = parse,
	.children = children,
	.args_doc = "OBJECT...",
	.doc = "Find possible deadlocks between BPF programs before anything runs: which locks they "
	       "take while they hold which, over all of the objects, and where that goes in a "
	       "circle.\v"
	       "The programs are loaded, read back and unloaded; none is attached or run, and nothing "
	       "is pinned. Each line is one that editors and compilers' users know: FILE:LINE: "
	       "warning: MESSAGE [KIND]. What cannot be decided is said in notes, which do not count. "
	       "Exit status 0: no finding; 10: at least one. What it can see and what not: check.md.",
};

static int load_all(const struct check_cmd *c, struct check_result *r)
{
	int err = 0;

	for (int i = 0; !err && i < c->nr_objects; i++)
		err = check_load(c->objects[i], &r->set, &r->refusals);
	return err;
}

static void summary(const struct check_result *r)
{
	size_t found = findings_count(&r->findings, false),
	       notes = findings_count(&r->findings, true);

	pr_info("%zu program%s, %zu acquisition%s, %zu finding%s, %zu note%s", r->set.nr_progs,
		r->set.nr_progs == 1 ? "" : "s", r->record.nr_sites,
		r->record.nr_sites == 1 ? "" : "s", found, found == 1 ? "" : "s", notes,
		notes == 1 ? "" : "s");
}

static int run(int argc, char **argv)
{
	struct check_result r = {};
	struct check_cmd c = {};
	int err, code;

	argp_parse(&argp, argc, argv, 0, NULL, &c);
	if (!probe_allowed())
		return EXIT_UNSUPPORTED;
	err = load_all(&c, &r);
	err = err ?: check_all(&r);
	if (!err && c.json)
		check_print_json(&r);
	else if (!err)
		check_print_text(&r);
	if (!err)
		summary(&r);
	code = err ? cmd_exit_code(err) : findings_count(&r.findings, false) ? EXIT_EVENT : EXIT_OK;
	check_result_free(&r);
	return code;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "find possible deadlocks before programs run",
	.argp = &argp,
	.run = run,
};
