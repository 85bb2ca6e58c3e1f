// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/json_out.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../base/out.h"
#include "../base/whole_file.h"
#include "cmd.h"
#include "../output/page/gather.h"
#include "../output/page/graphviz.h"
#include "../output/page/lines.h"
#include "../output/page/marks.h"
#include "../output/page/page.h"
#include "../output/page/perfetto.h"
#include "base/version.h"

struct report_cmd {
	const char *in;	 /* "-": standard input */
	const char *out; /* NULL: standard output */
	const char *perfetto;
	bool json, skip;
};

/*
 * What is collected from the lines: sums for the page, and marks for the timeline if one is wanted.
 */
struct events {
	struct gather sums;
	struct marks marks;
	struct lines lines;
	bool draw;
	int err; /* the first error */
};

enum { KEY_SKIP = 0x1000, KEY_PERFETTO };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the page to FILE instead of standard output", 1 },
	{ "perfetto", KEY_PERFETTO, "FILE", 0,
	  "Write failures and waits, CPU by CPU, to FILE, which ui.perfetto.dev and "
	  "chrome://tracing open; the page only with --output",
	  1 },
	{ "skip", KEY_SKIP, NULL, 0,
	  "Leave out lines that 'rqspin trace --json' has not written, and count them", 2 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static error_t cmd_report_parse(int key, char *arg, struct argp_state *state)
{
	struct report_cmd *r = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->json;
		return 0;
	case 'o':
		r->out = arg;
		return 0;
	case KEY_PERFETTO:
		r->perfetto = arg;
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
		if (!r->out && !r->json && !r->perfetto && isatty(STDOUT_FILENO))
			opts_error(state, "the page is not for a terminal: use -o FILE");
		if (r->out && r->perfetto && !strcmp(r->out, r->perfetto))
			opts_error(state, "--output and --perfetto name one file");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_report_parse,
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
	       "print the numbers of the page instead. The timeline of --perfetto: timeline.md.",
};

static void take_line(const json_t *line, void *ctx)
{
	struct events *e = ctx;

	gather_line(line, &e->sums);
	if (e->draw && !strcmp(json_string_value(json_object_get(line, "type")), "failure"))
		e->err = e->err ?: marks_add(&e->marks, line);
}

static int read_lines(const struct report_cmd *r, struct events *e)
{
	bool is_stdin = !strcmp(r->in, "-");
	struct lines *l = &e->lines;
	int err;

	*l = (struct lines){ .name = is_stdin ? "standard input" : r->in, .skip = r->skip };
	l->in = is_stdin ? stdin : fopen(r->in, "re");
	if (!l->in) {
		err = -errno;
		pr_err("%s: %s", r->in, strerror(-err));
		return err;
	}
	err = lines_read(l, take_line, e) ?: e->sums.err ?: e->err;
	if (!is_stdin)
		fclose(l->in);
	return err;
}

static int read_events(const struct report_cmd *r, struct events *e)
{
	const struct gather *g = &e->sums;
	int err = read_lines(r, e);

	if (g->cycles_left_out)
		pr_warn("%s: %llu failures are of cycles beyond the first %d different ones: counted, "
			"not shown",
			e->lines.name, g->cycles_left_out, GATHER_CYCLES_KEPT);
	if (e->lines.skipped)
		pr_warn("%s: %llu lines that 'rqspin trace --json' has not written are left out",
			e->lines.name, e->lines.skipped);
	if (err || g->failures || g->summaries)
		return err;
	pr_err("%s: no events in it: 'rqspin trace --json' writes a summary at least",
	       e->lines.name);
	return -ENODATA;
}

static void cycles_draw(json_t *data)
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

/* @path: NULL for standard output */
static int report_put(const char *path, const char *text, size_t size)
{
	int err;

	if (!path) {
		errno = 0;
		err = fwrite(text, 1, size, stdout) < size && errno ? -errno : out_flush();
		return out_failed(err);
	}
	err = whole_file_replace(path, text, size);
	if (err)
		pr_err("%s: %s", path, strerror(-err));
	return err;
}

static int make_page(const struct report_cmd *r, struct events *e)
{
	json_t *data = data_of(&e->sums, &e->lines);
	size_t size;
	char *text;
	int err;

	cycles_draw(data);
	text = page_of(data, r->json, &size);
	json_decref(data);
	err = text ? report_put(r->out, text, size) : -ENOMEM;
	free(text);
	return err;
}

/* The timeline's metadata, with the numbers of what the timeline lacks. */
static json_t *about_timeline(const struct events *e)
{
	const struct gather *g = &e->sums;

	return json_pack("{s:s, s:s, s:s, s:o, s:O, s:I, s:I, s:I, s:I, s:I, s:b}", "schema",
			 "rqspin-timeline/1", "made_by", "rqspin", "version", RQSPIN_VERSION,
			 "input", json_text(e->lines.name), "recorded", g->origins, "failures",
			 (json_int_t)e->marks.failures, "left_out",
			 (json_int_t)(e->marks.left_out + e->marks.undated), "repeats",
			 (json_int_t)g->repeats, "skipped", (json_int_t)g->rate_skipped, "lost",
			 (json_int_t)g->lost, "lost_unknown", g->lost_unknown || !g->summaries);
}

static void warn_of_gaps(const struct events *e)
{
	const struct gather *g = &e->sums;

	if (e->marks.left_out)
		pr_warn("--perfetto: the last %llu failures are left out: no viewer is quick with "
			"more",
			e->marks.left_out);
	if (e->marks.undated)
		pr_warn("--perfetto: %llu failure%s without a time or CPU %s left out",
			e->marks.undated, e->marks.undated == 1 ? "" : "s",
			e->marks.undated == 1 ? "is" : "are");
	if (g->repeats + g->rate_skipped + g->lost)
		pr_warn("--perfetto: %llu more failures are known by number only: repeats of "
			"--unique, left out by --rate, or lost",
			g->repeats + g->rate_skipped + g->lost);
}

static char *timeline_of(struct events *e, size_t *size)
{
	int err = marks_settle(&e->marks);
	char *text = NULL;
	FILE *out = err ? NULL : open_memstream(&text, size);

	if (!out)
		return NULL;
	err = perfetto_write(out, &e->marks, &e->sums.known, about_timeline(e));
	if (!fclose(out) && !err)
		return text;
	free(text);
	return NULL;
}

static int make_timeline(const struct report_cmd *r, struct events *e)
{
	size_t size;
	char *text = timeline_of(e, &size);
	int err = text ? report_put(r->perfetto, text, size) : -ENOMEM;

	free(text);
	if (!err)
		warn_of_gaps(e);
	return err;
}

static int make_report(const struct report_cmd *r, struct events *e)
{
	int err = read_events(r, e);

	if (!err && e->sums.long_waits)
		pr_info("%llu long wait%s left out: a report is about failures", e->sums.long_waits,
			e->sums.long_waits == 1 ? " is" : "s are");
	if (!err && r->perfetto)
		err = make_timeline(r, e);
	if (!err && (r->out || r->json || !r->perfetto))
		err = make_page(r, e);
	return err;
}

static bool is_replaced(const char *path, const char *option)
{
	if (!path || whole_file_plain(path))
		return false;
	pr_err("%s: %s is no regular file, and would be replaced by one", option, path);
	return true;
}

static int cmd_report_run(int argc, char **argv)
{
	struct report_cmd r = {};
	struct events e = {};
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &r);
	if (is_replaced(r.out, "--output") || is_replaced(r.perfetto, "--perfetto"))
		return EXIT_USAGE;
	e.draw = r.perfetto;
	err = gather_init(&e.sums) ?: marks_init(&e.marks) ?: make_report(&r, &e);
	if (err == -ENOMEM)
		pr_err("out of memory");
	gather_free(&e.sums);
	marks_free(&e.marks);
	return err ? EXIT_FAIL : EXIT_OK;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "a page of HTML of what trace --json has written",
	.argp = &argp,
	.run = cmd_report_run,
};
