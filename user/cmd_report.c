// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_out.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/out.h"
#include "base/whole_file.h"
#include "cmd.h"
#include "report/gather.h"
#include "report/graphviz.h"
#include "report/lines.h"
#include "report/page.h"
#include "version.h"

struct report_cmd {
	const char *in;	 /* "-": standard input */
	const char *out; /* NULL: standard output */
	bool json, skip;
};

enum { KEY_SKIP = 0x1000 };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the page to FILE instead of standard output", 1 },
	{ "skip", KEY_SKIP, NULL, 0,
	  "Leave out lines that 'rqspin trace --json' has not written, and count them", 2 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_cmd *r = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->json;
		return 0;
	case 'o':
		r->out = arg;
		return 0;
	case KEY_SKIP:
		r->skip = true;
		return 0;
	case ARGP_KEY_ARG:
		if (r->in)
			opts_error(state, "one argument too many: '%s'", arg);
		r->in = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		opts_error(state, "needs a file that 'rqspin trace --json' has written, or -");
		return 0;
	case ARGP_KEY_END:
		if (!r->out && !r->json && isatty(STDOUT_FILENO))
			opts_error(state, "the page is not for a terminal: use -o FILE");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "EVENTS.jsonl",
	.doc = "Make a page of HTML of what 'rqspin trace --json' has written.\v"
	       "It shows when failures happened, the programs and locks with most of them, who "
	       "waited for whom in each cycle, where failures come from (a flame graph; 'trace "
	       "--stacks' adds the call traces), and what was lost. The page is one file, loads "
	       "nothing from the network and works in any current browser. EVENTS.jsonl may be "
	       "that of several traces, one after the other; - is standard input. A line that is "
	       "none of trace's is an error that names its number, unless --skip is given. Graphs "
	       "of cycles are drawn by graphviz; without it they are lines of text. With --json, "
	       "print the numbers of the page instead.",
};

static int read_events(const struct report_cmd *r, struct gather *g, struct lines *l)
{
	bool is_stdin = !strcmp(r->in, "-");
	int err;

	*l = (struct lines){ .name = is_stdin ? "standard input" : r->in, .skip = r->skip };
	l->in = is_stdin ? stdin : fopen(r->in, "re");
	if (!l->in) {
		err = -errno;
		pr_err("%s: %s", r->in, strerror(-err));
		return err;
	}
	err = lines_read(l, gather_line, g) ?: g->err;
	if (!is_stdin)
		fclose(l->in);
	if (g->cycles_left_out)
		pr_warn("%s: %llu failures are of cycles beyond the first %d different ones: counted, "
			"not shown",
			l->name, g->cycles_left_out, GATHER_CYCLES_KEPT);
	if (err || g->failures || g->summaries)
		return err;
	pr_err("%s: no events in it: 'rqspin trace --json' writes a summary at least", l->name);
	return -ENODATA;
}

static void draw(json_t *data)
{
	json_t *graphs = json_object_get(json_object_get(data, "cycles"), "rows");
	int err = graphviz_draw(graphs);

	if (err == -ENOENT)
		pr_warn("cycles are shown as text: install graphviz for graphs of them");
	else if (err == -ETIMEDOUT)
		pr_warn("cycles are shown as text: graphviz's dot took too long");
	else if (err)
		pr_warn("cycles are shown as text: graphviz's dot failed: %s", strerror(-err));
	for (size_t i = 0; i < json_array_size(graphs); i++)
		json_object_del(json_array_get(graphs, i), "dot");
}

static json_t *data_of(const struct gather *g, const struct lines *l)
{
	json_t *data = gather_json(g);

	json_object_set_new(data, "schema", json_string("rqspin-report/1"));
	json_object_set_new(data, "version", json_string(RQSPIN_VERSION));
	json_object_set_new(data, "input", json_text(l->name));
	json_object_set_new(data, "lines", json_integer(l->nr));
	json_object_set_new(data, "lines_left_out", json_integer(l->skipped));
	if (l->skipped)
		pr_warn("%s: %llu lines that 'rqspin trace --json' has not written are left out",
			l->name, l->skipped);
	return data;
}

static char *page_of(json_t *data, bool json, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	int err;

	if (!out)
		return NULL;
	if (json)
		err = json_dumpf(data, out, JSON_INDENT(2)) || putc('\n', out) < 0;
	else
		err = page_write(out, data);
	if (!fclose(out) && !err)
		return text;
	free(text);
	return NULL;
}

static int put(const struct report_cmd *r, const char *text, size_t size)
{
	int err;

	if (!r->out) {
		errno = 0;
		err = fwrite(text, 1, size, stdout) < size && errno ? -errno : out_flush();
		return out_failed(err);
	}
	err = whole_file_replace(r->out, text, size);
	if (err)
		pr_err("%s: %s", r->out, strerror(-err));
	return err;
}

static int make_report(const struct report_cmd *r, struct gather *g)
{
	struct lines l;
	json_t *data;
	size_t size;
	char *text;
	int err = read_events(r, g, &l);

	if (err)
		return err;
	data = data_of(g, &l);
	draw(data);
	text = page_of(data, r->json, &size);
	json_decref(data);
	if (!text) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	err = put(r, text, size);
	free(text);
	return err;
}

static int run(int argc, char **argv)
{
	struct report_cmd r = {};
	struct gather g;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &r);
	if (r.out && !whole_file_plain(r.out)) {
		pr_err("--output: %s is no regular file, and would be replaced by one", r.out);
		return EXIT_USAGE;
	}
	err = gather_init(&g);
	if (err)
		pr_err("out of memory");
	else
		err = make_report(&r, &g);
	gather_free(&g);
	return err ? EXIT_FAIL : EXIT_OK;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "a page of HTML of what trace --json has written",
	.argp = &argp,
	.run = run,
};
