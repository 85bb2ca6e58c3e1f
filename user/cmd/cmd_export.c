// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/caps.h"
#include "../base/clock.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../base/stop.h"
#include "cmd.h"
#include "../kernel/probe.h"
#include "../counts/counts.h"
#include "../output/metrics/expose.h"
#include "../output/metrics/http.h"
#include "../counts/series.h"
#include "../counts/wait_counts.h"
#include "../base/whole_file.h"
#include "trace_options.h"
#include "../waits/scope.h"

#define INTERVAL_S	15
#define MAX_SERIES	1000
#define MAX_WAIT_SERIES 200 /* 16 samples each */

struct export
{
	struct trace_opts opts;
	const char *textfile; /* NULL: not given; either this one or listen is */
	const char *listen;
	double interval;
	uint64_t max_series, max_wait_series;
	bool waits, elements;
	double due; /* now_s() of the next textfile */
	int err;    /* of the last textfile */
	struct wait_scope scope;
	struct counts counts;
	struct wait_counts *wait_counts; /* NULL: without --waits */
	struct metrics metrics;
	struct http *http;
	struct session *session;
};

enum { KEY_TEXTFILE = 0x1000, KEY_LISTEN, KEY_SERIES, KEY_WAITS, KEY_WAIT_SERIES, KEY_ELEMENTS };

static const struct argp_option options[] = {
	{ "textfile", KEY_TEXTFILE, "FILE", 0,
	  "Write the metrics to FILE, which is replaced as a whole", 1 },
	{ "listen", KEY_LISTEN, "ADDRESS:PORT", 0,
	  "Serve the metrics by HTTP at /metrics; without ADDRESS on all addresses; port 0 is any",
	  1 },
	{ "interval", 'i', "TIME", 0, "Between two versions of FILE (15 s)", 2 },
	{ "waits", KEY_WAITS, NULL, 0,
	  "Count waits for locks, too, also where nothing fails: a histogram by program and lock",
	  2 },
	{ "elements", KEY_ELEMENTS, NULL, 0,
	  "With --waits: tell the locks of a map's elements apart", 2 },
	{ "max-wait-series", KEY_WAIT_SERIES, "N", 0,
	  "With --waits: name programs, locks and cgroups in at most N histograms (200); the waits "
	  "of others are one",
	  2 },
	{ "max-series", KEY_SERIES, "N", 0,
	  "Name programs and locks in at most N series (1000); the failures of others are counted "
	  "by kind alone",
	  2 },
	{ 0 },
};

static const struct argp_child children[] = {
	{ &collect_opts_argp, 0, NULL, 0 },
	{ &wait_scope_argp, 0, NULL, 0 },
	{ &opts_talk, 0, NULL, 0 },
	{ 0 },
};

static void export_check_args(const struct export *x, const struct argp_state *state)
{
	if (!x->textfile == !x->listen)
		opts_error(state, "give one of --textfile FILE and --listen ADDRESS:PORT");
	if (x->interval && !x->textfile)
		opts_error(state,
			   "--interval is for --textfile: with --listen, who scrapes decides");
	if ((x->max_wait_series || x->elements) && !x->waits)
		opts_error(state, "--max-wait-series and --elements are for --waits");
	if (wait_scope_any(&x->scope) && !x->waits)
		opts_error(state, "--cgroup and --by-cgroup are for --waits");
	if (x->waits && trace_filter_beyond_waits(&x->opts.filter))
		opts_error(state,
			   "--waits: waits are counted by program and lock; it takes no --pid, "
			   "--comm, --cpu or --kind");
	if (x->textfile && !*x->textfile)
		opts_error(state, "--textfile: the name is empty");
}

static error_t cmd_export_parse(int key, char *arg, struct argp_state *state)
{
	struct export *x = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &x->opts;
		state->child_inputs[1] = &x->scope;
		x->max_series = MAX_SERIES;
		return 0;
	case KEY_TEXTFILE:
		x->textfile = arg;
		return 0;
	case KEY_LISTEN:
		x->listen = arg;
		return 0;
	case 'i':
		if (opt_seconds(arg, &x->interval))
			opts_error(state, "--interval: '%s' is not a time like 15, 500ms or 2m",
				   arg);
		return 0;
	case KEY_SERIES:
		if (opt_u64(arg, 1, UINT32_MAX, &x->max_series))
			opts_error(state, "--max-series: '%s' is not a positive number", arg);
		return 0;
	case KEY_WAITS:
		x->waits = true;
		return 0;
	case KEY_ELEMENTS:
		x->elements = true;
		return 0;
	case KEY_WAIT_SERIES:
		if (opt_u64(arg, 1, UINT32_MAX, &x->max_wait_series))
			opts_error(state, "--max-wait-series: '%s' is not a positive number", arg);
		return 0;
	case ARGP_KEY_ARG:
		opts_error(state, "takes no arguments, but got '%s'", arg);
		return 0;
	case ARGP_KEY_END:
		export_check_args(x, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_export_parse,
	.children = children,
	.args_doc = "--textfile=FILE\n--listen=ADDRESS:PORT",
	.doc = "Count failed acquisitions for Prometheus and OpenTelemetry.\v"
	       "The counts are those of 'rqspin stat', since the start: by program, lock and kind. "
	       "With --waits, how long acquisitions waited, by program and lock, as those of "
	       "'rqspin stat --waits'. --by-cgroup makes the cgroup a label of these, --cgroup chooses "
	       "among them. "
	       "FILE is for node_exporter's textfile collector, which reads *.prom. The last "
	       "version, at Ctrl-C or at the end of --duration, says rqspin_up 0. The HTTP server "
	       "has neither TLS nor passwords: let it listen on a private address. "
	       "docs/monitoring.md lists the metrics. The folder monitoring beside it has a systemd unit, "
	       "a Kubernetes manifest, a dashboard, alerts and configurations.",
};

static void on_failure(const struct failure *f, void *ctx)
{
	struct export *x = ctx;

	counts_add(&x->counts, f, x->session);
}

static void export_update(struct export *x)
{
	struct metrics *m = &x->metrics;
	struct counts *c = &x->counts;

	if (x->wait_counts)
		m->unknown |= !wait_counts_update(x->wait_counts, x->session);
	counts_update(c, x->session);
	m->uncounted = c->most_lost;
	m->unknown |= c->uncounted.unknown;
	/* A missed program may be loaded again and stay, but a counter must not go down. */
	if (m->missed < c->uncounted.missed)
		m->missed = c->uncounted.missed;
	m->unseen = c->uncounted.unseen;
	m->blind = c->uncounted.blind;
}

static void export_write_page(FILE *out, bool openmetrics, void *ctx)
{
	struct export *x = ctx;

	export_update(x);
	expose_metrics(out, &x->metrics, openmetrics);
}

static int write_textfile(struct export *x)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (!out)
		return -ENOMEM;
	export_write_page(out, false, x);
	err = fclose(out) ? -ENOMEM : whole_file_replace(x->textfile, text, size);
	free(text);
	return err;
}

/* A disk may be full for a while: the counts are in memory, and the next textfile has them. */
static void renew_textfile(struct export *x)
{
	int err = write_textfile(x);

	if (err && err != x->err)
		pr_warn("%s: %s; it stays as it was, and the next try is in %g s", x->textfile,
			strerror(-err), x->interval);
	if (!err && x->err)
		pr_info("%s: written again", x->textfile);
	x->err = err;
	x->due += x->interval;
	if (x->due < now_s())
		x->due = now_s() + x->interval;
}

static bool export_serve(void *ctx)
{
	struct export *x = ctx;

	series_forget_addresses(x->metrics.series);
	if (x->wait_counts)
		x->metrics.unknown |= !wait_counts_poll(x->wait_counts, x->session);
	if (x->http)
		http_poll(x->http);
	else if (now_s() >= x->due)
		renew_textfile(x);
	return false;
}

static int export_end(struct export *x)
{
	session_drain(x->session);
	if (x->wait_counts)
		x->metrics.unknown |= !wait_counts_finish(x->wait_counts, x->session);
	x->metrics.up = false;
	if (x->textfile)
		x->err = write_textfile(x);
	else
		export_update(x);
	if (x->err)
		pr_err("%s: %s; the last counts are not in it", x->textfile, strerror(-x->err));
	if (!x->counts.matched)
		trace_filter_no_match(&x->opts.filter, x->counts.seen);
	return x->err;
}

/*
 * Keep what is needed to look at programs that are loaded later. A server needs no other
 * capability.
 */
static void give_up_rights(void)
{
	int err = caps_keep(CAPS_BIT(CAP_BPF) | CAPS_BIT(CAP_PERFMON) | CAPS_BIT(CAP_SYS_ADMIN) |
			    CAPS_BIT(CAP_SYSLOG));

	if (err)
		pr_warn("capabilities that are not needed any more cannot be given up: %s",
			strerror(-err));
}

static int export_begin(struct export *x, int fd)
{
	char url[128];

	if (x->textfile) {
		x->interval = x->interval ?: INTERVAL_S;
		x->due = now_s() + x->interval;
		x->err = write_textfile(x);
		if (x->err)
			pr_err("%s: %s", x->textfile, strerror(-x->err));
		else
			pr_info("metrics: %s, every %g s", x->textfile, x->interval);
		return x->err;
	}
	x->http = http_start(fd, export_write_page, x);
	if (!x->http)
		return -ENOMEM;
	give_up_rights();
	http_url(x->http, url, sizeof(url));
	pr_info("metrics: %s", url);
	return 0;
}

static double epoch_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int export_follow(struct export *x, int fd)
{
	double until = x->opts.duration ? now_s() + x->opts.duration : 0;
	int err, last;

	x->metrics.up = true;
	x->metrics.start_s = epoch_s();
	session_sources(x->session, x->metrics.sources, sizeof(x->metrics.sources));
	err = export_begin(x, fd);
	if (err)
		return err;
	err = trace_opts_follow(x->session, until, export_serve, x);
	last = export_end(x);
	http_stop(x->http);
	return err ?: last;
}

/* Called before trace_opts_open(), whose message "counting" means that waits are counted, too. */
static int open_waits(struct export *x)
{
	const char *missing;
	int err;

	if (!x->waits)
		return 0;
	if (!probe_allowed())
		return -EOPNOTSUPP;
	err = wait_scope_find(&x->scope);
	if (err)
		return err;
	err = wait_counts_open(&x->wait_counts, &x->opts.filter, &x->scope,
			       x->max_wait_series ?: MAX_WAIT_SERIES, x->elements);
	if (err)
		return err;
	x->metrics.waits = x->wait_counts;
	missing = waits_missing_text(wait_counts_missing(x->wait_counts));
	if (missing)
		pr_warn("--waits: not seen: %s", missing);
	return 0;
}

static int open_and_export(struct export *x)
{
	int fd, err;

	if (x->textfile && !whole_file_plain(x->textfile)) {
		pr_err("--textfile: %s is no regular file, and would be replaced by one",
		       x->textfile);
		return -EINVAL;
	}
	fd = x->listen ? http_bind(x->listen) : -1;
	if (x->listen && fd < 0)
		return fd;
	err = open_waits(x);
	err = err ?: trace_opts_open(&x->session, &x->opts, "counting", on_failure, x);
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = export_follow(x, fd);
	session_close(x->session);
	/* An error of the session is not a usage error: do not return its -EINVAL. */
	return err ? -EIO : 0;
}

static bool export_lossy(const struct metrics *m)
{
	return m->uncounted || m->unknown || m->blind ||
	       (m->waits && (wait_counts_dropped(m->waits) || wait_counts_missing(m->waits)));
}

static int cmd_export_run(int argc, char **argv)
{
	struct export x = {};
	bool lossy;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &x);
	x.metrics.series = series_new(x.max_series);
	if (!x.metrics.series) {
		pr_err("out of memory");
		return EXIT_FAIL;
	}
	x.counts = (struct counts){ .filter = &x.opts.filter, .series = x.metrics.series };
	err = open_and_export(&x);
	lossy = !err && export_lossy(&x.metrics);
	wait_counts_close(x.wait_counts);
	series_free(x.metrics.series);
	if (err)
		return cmd_exit_code(err);
	return x.opts.strict && lossy ? EXIT_LOST : EXIT_OK;
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "failed acquisitions, and waits, as metrics for Prometheus",
	.argp = &argp,
	.run = cmd_export_run,
};
