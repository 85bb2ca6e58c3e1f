// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/child.h"
#include "../base/clock.h"
#include "cmd.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../base/out.h"
#include "../base/stop.h"
#include "../base/whole_file.h"
#include "../events/recorder/recorder.h"
#include "../output/print.h"
#include "../events/sources/longwaits.h"
#include "../events/family.h"
#include "../events/newest.h"
#include "../events/unique.h"
#include "trace_options.h"

#define PATIENCE_S 1	     /* an interrupted command that has not ended by then gets SIGTERM */
#define OUT_BUFFER (1 << 16) /* bytes */

enum {
	KEY_STACKS = 0x1000,
	KEY_FAIL,
	KEY_READY,
	KEY_UNIQUE,
	KEY_RATE,
	KEY_ONLY,
	KEY_LAST,
	KEY_BPFFS
};

struct trace {
	struct trace_opts opts;
	struct trace_totals totals;
	uint64_t count;
	bool fail_on_event, fold, only_command;
	struct family *family; /* the command's tasks and programs; NULL: all failures are wanted */
	struct unique *unique; /* NULL: repeats are shown like all others */
	char **command;	       /* NULL: none */
	struct child child;
	bool cut_short; /* the command was ended early by --count or --duration */
	uint64_t rate;	/* failures shown per second; 0: all */
	double due;	/* failures that may be shown at once */
	double due_at;
	const char *ready_file;
	const char *output; /* NULL: standard output */
	bool last;	    /* show what a recorder has, not what happens now */
	uint64_t last_nr;   /* show at most this many of them; 0: all */
	struct newest *newest;
	struct place place;
	struct recorder_about about;
	const char *live;  /* a given option that is only for a live trace */
	const char *bpffs; /* NULL: the usual one */
	struct session *session;
	int err; /* of standard output */
};

static const struct argp_option options[] = {
	{ "count", 'c', "N", 0, "Stop after showing N failures", 2 },
	{ "rate", KEY_RATE, "N", 0, "Show at most N failures per second, and count the others", 2 },
	{ "last", KEY_LAST, "N", OPTION_ARG_OPTIONAL,
	  "Show what 'rqspin record' has recorded (of it, the last N), and end", 2 },
	{ "bpffs", KEY_BPFFS, "DIR", 0, "With --last: the recorder lives in this BPF file system",
	  4 },
	{ "stacks", KEY_STACKS, NULL, 0, "Show the call trace of each failure", 3 },
	{ "unique", KEY_UNIQUE, NULL, 0,
	  "Show failures of the same kind, program, lock and line once, and count the repeats at "
	  "the end",
	  3 },
	{ "only-command", KEY_ONLY, NULL, 0,
	  "Show only failures in programs that COMMAND loads and in tasks that it starts, and "
	  "count the others",
	  1 },
	{ "output", 'o', "FILE", 0,
	  "Write the failures (with --json the summary, too) to FILE: standard output is COMMAND's",
	  4 },
	{ "ready-file", KEY_READY, "FILE", 0, "Create FILE when tracing has started", 4 },
	{ "fail-on-event", KEY_FAIL, NULL, 0, "Exit with 10 if a failure was shown", 5 },
	{ 0 },
};

static const struct argp_child children[] = { { &trace_opts_argp, 0, NULL, 0 }, { 0 } };

/* --last shows recorded failures, so options for a live trace are refused. */
static void check_last(struct trace *t, const struct argp_state *state)
{
	if (t->bpffs && !t->last)
		opts_error(state, "--bpffs goes with --last");
	if (!t->last)
		return;
	if (t->command)
		t->live = "a command";
	else if (t->opts.duration)
		t->live = "--duration";
	else if (t->opts.sources)
		t->live = "--source";
	else if (t->opts.tuning.buffer != SESSION_BUFFER)
		t->live = "--buffer";
	if (t->live)
		opts_error(state, "--last shows what was recorded: %s does not go with it",
			   t->live);
}

static error_t cmd_trace_parse(int key, char *arg, struct argp_state *state)
{
	struct trace *t = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &t->opts;
		return 0;
	case KEY_LAST:
		t->last = true;
		if (arg && opt_u64(arg, 1, SIZE_MAX / 16, &t->last_nr))
			opts_error(state, "--last: '%s' is not a positive number", arg);
		return 0;
	case KEY_BPFFS:
		t->bpffs = arg;
		return 0;
	case 'c':
		t->live = "--count";
		if (opt_u64(arg, 1, UINT64_MAX, &t->count))
			opts_error(state, "--count: '%s' is not a positive number", arg);
		return 0;
	case KEY_RATE:
		t->live = "--rate";
		if (opt_u64(arg, 1, UINT32_MAX, &t->rate))
			opts_error(state, "--rate: '%s' is not a positive number", arg);
		return 0;
	case KEY_STACKS:
		t->opts.print.stacks = t->opts.tuning.stacks = true;
		return 0;
	case KEY_READY:
		t->live = "--ready-file";
		t->ready_file = arg;
		return 0;
	case 'o':
		t->output = arg;
		return 0;
	case KEY_UNIQUE:
		t->fold = true;
		return 0;
	case KEY_ONLY:
		t->only_command = true;
		return 0;
	case ARGP_KEY_END:
		if (t->only_command && !t->command)
			opts_error(state, "--only-command: there is no command; it comes after --");
		if (t->output && t->ready_file && !strcmp(t->output, t->ready_file))
			opts_error(state, "--output and --ready-file name one file");
		check_last(t, state);
		return 0;
	case KEY_FAIL:
		t->fail_on_event = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!state->quoted || state->next <= state->quoted)
			opts_error(state,
				   "takes no arguments, but got '%s'; a command to run comes "
				   "after --",
				   arg);
		t->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_trace_parse,
	.children = children,
	.args_doc = "[-- COMMAND [ARG...]]",
	.doc = "Show each failed lock acquisition as it happens.\v"
	       "One line per failure: time, kind, CPU, task, program, source line, the wanted lock, "
	       "the locks held, and the owner. What the kernel does not report is shown as unknown. "
	       "The last line says how many events were lost.\n"
	       "With COMMAND, start tracing, run COMMAND and stop when it ends. What COMMAND prints "
	       "is in the same place as the failures, unless --output gives these a file. "
	       "Failures of all programs are shown, since COMMAND may make programs run that "
	       "others have loaded, and in other tasks or in interrupts; --only-command leaves "
	       "these out. Ctrl-C interrupts both. When --duration or --count is over, or one "
	       "second after Ctrl-C, COMMAND gets SIGTERM. The exit status is that of COMMAND: 128 "
	       "plus the number of the signal that ended it, 127 if it is not found, 126 if it "
	       "cannot be run. If COMMAND succeeds, or the tracer ended it, --strict and "
	       "--fail-on-event decide.",
};

static bool trace_is_full(const struct trace *t)
{
	return t->err || (t->count && t->totals.shown >= t->count);
}

/* One write for each poll: a write for each event would cost more than all else. */
static void write_out(struct trace *t)
{
	print_batch_over();
	if (!t->err)
		t->err = out_flush();
}

static bool trace_is_done(void *ctx)
{
	struct trace *t = ctx;

	write_out(t);
	if (t->family)
		family_read(t->family);
	return trace_is_full(t) || (t->command && child_ended(&t->child));
}

/* At most a tenth of a second's share at once, so that a burst shows more than its first moment. */
static bool within_rate(struct trace *t)
{
	double now = now_s(), most = t->rate / 10.0;

	if (!t->rate)
		return true;
	if (most < 1)
		most = 1;
	t->due += t->due_at ? (now - t->due_at) * t->rate : most;
	t->due_at = now;
	if (t->due > most)
		t->due = most;
	if (t->due < 1)
		return false;
	t->due--;
	return true;
}

/* The failure is of no program and no task of the command. */
static bool is_foreign(struct trace *t, const struct failure *f)
{
	if (!t->family)
		return false;
	family_read(t->family);
	return !family_has(t->family, f);
}

static void trace_show(const struct failure *f, void *ctx)
{
	struct trace *t = ctx;

	if (t->err)
		return;
	if (f->waited) {
		t->totals.waits.shown++;
		t->err = print_wait(t->session, f, &t->opts.print);
		return;
	}
	t->totals.shown++;
	t->err = print_failure(t->session, f, &t->opts.print);
}

static void show_or_keep(struct trace *t, const struct failure *f)
{
	if (t->newest)
		t->err = newest_add(t->newest, f);
	else
		trace_show(f, t);
}

/* Only a recording has waits. They are not counted with failures, nor are they alike. */
static void on_wait(struct trace *t, const struct failure *f)
{
	t->totals.waits.events++;
	if (!t->err && trace_filter_match(&t->opts.filter, f, session_locks(t->session)))
		show_or_keep(t, f);
}

static void on_failure(const struct failure *f, void *ctx)
{
	struct trace *t = ctx;

	if (f->waited) {
		on_wait(t, f);
		return;
	}
	if (trace_is_full(t))
		return;
	t->totals.events++;
	if (is_foreign(t, f)) {
		t->totals.foreign++;
		return;
	}
	if (!trace_filter_match(&t->opts.filter, f, session_locks(t->session)))
		return;
	tally_add(&t->totals.tally, f, 1, false);
	t->totals.by_kind[f->ev.kind]++;
	if (t->unique && !unique_first(t->unique, f, session_locks(t->session))) {
		t->totals.repeats++;
		return;
	}
	if (!within_rate(t)) {
		t->totals.skipped++;
		return;
	}
	show_or_keep(t, f);
}

static void on_loss(const struct failure *like, __u64 nr, void *ctx)
{
	struct trace *t = ctx;

	/* @like is the first of its kind; the tasks of the others are unknown. */
	if (trace_filter_by_task(&t->opts.filter) ||
	    (like && t->family && !family_has_prog(t->family, like->prog_id)))
		like = NULL;
	if (!like || trace_filter_match(&t->opts.filter, like, session_locks(t->session)))
		tally_add(&t->totals.tally, like, nr, true);
}

/* --ready-file may be a FIFO: it is written when a process reads it. */
static int write_pipe(int fd, const char *text)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return -EINVAL;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static bool is_pipe(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISFIFO(st.st_mode);
}

static int write_ready_text(const char *path, const char *text)
{
	int fd, err;

	if (!is_pipe(path))
		return whole_file_replace(path, text, strlen(text));
	fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write_pipe(fd, text);
	close(fd);
	return err;
}

static int write_ready(const char *path)
{
	char pid[16];
	int err;

	if (!whole_file_plain(path) && !is_pipe(path)) {
		pr_err("--ready-file: %s is neither a regular file nor a pipe; links are not "
		       "followed",
		       path);
		return -EINVAL;
	}
	snprintf(pid, sizeof(pid), "%d\n", getpid());
	err = write_ready_text(path, pid);
	if (err)
		pr_err("%s: %s", path, strerror(-err));
	return err;
}

static int open_output(const char *path)
{
	int err = out_to_file(path);

	if (err == -ELOOP)
		pr_err("--output: %s is a link; links are not followed", path);
	else if (err == -EWOULDBLOCK)
		pr_err("--output: another rqspin writes to %s", path);
	else if (err == -ENXIO)
		pr_err("--output: %s is a pipe that nobody reads", path);
	else if (err)
		pr_err("--output %s: %s", path, strerror(-err));
	return err;
}

/* Called late: if the command cannot be started, the last recording stays. */
static void empty_output(const char *path)
{
	int err = out_empty_file();

	if (err)
		pr_warn("%s: what it has stays, and the failures follow: %s", path, strerror(-err));
}

/* The command may have been interrupted as we were: give it time to end in order. */
static int end_command(struct trace *t)
{
	double patience = stop_asked() ? now_s() + PATIENCE_S : 0;
	bool asked = false;
	int err = 0;

	while (!err && !child_ended(&t->child)) {
		if (!asked && now_s() >= patience) {
			child_signal(&t->child, SIGTERM);
			asked = true;
			t->cut_short = !stop_asked();
		}
		err = session_poll(t->session, POLL_MS);
		write_out(t);
	}
	return err;
}

/* The whole recording was read when the session was opened. */
static int follow_last(struct trace *t)
{
	session_drain(t->session);
	if (t->newest)
		newest_each(t->newest, trace_show, t);
	return 0;
}

static int trace_follow(struct trace *t)
{
	double end = t->opts.duration ? now_s() + t->opts.duration : 0;
	int err = trace_opts_follow(t->session, end, trace_is_done, t);

	if (!err && t->command)
		err = end_command(t);
	if (!err)
		session_drain(t->session);
	return err;
}

/* May there have been waits that are not shown? */
static bool waits_possible(const struct wait_totals *w)
{
	return w->lost || w->unknown || w->not_seen;
}

static int exit_code(const struct trace *t)
{
	if (out_failed(t->err))
		return EXIT_FAIL;
	if (t->command && t->child.status && !t->cut_short)
		return t->child.status;
	if (t->opts.strict && (t->totals.losses.lost || losses_possible(&t->totals.losses) ||
			       waits_possible(&t->totals.waits)))
		return EXIT_LOST;
	if (t->fail_on_event && t->totals.shown)
		return EXIT_EVENT;
	return EXIT_OK;
}

static int open_family(struct trace *t)
{
	t->family = family_open();
	if (t->family && !family_by_tasks(t->family))
		pr_warn("--only-command: in a PID namespace the tasks of a command are not known: only "
			"failures in programs that it loads are shown");
	if (t->family)
		return 0;
	pr_err("--only-command: perf events, which tell what a command starts and loads, are "
	       "refused: %s",
	       strerror(errno));
	return EXIT_UNSUPPORTED;
}

/* Returns 0, or the exit status if the command cannot be started. */
static int start_command(struct trace *t)
{
	int err = t->only_command ? open_family(t) : 0;

	if (err)
		return err;
	err = t->command ? child_start(&t->child, t->command, out_stdout()) : 0;

	if (!err)
		return 0;
	pr_err("%s: %s", t->command[0], strerror(-err));
	return err == -ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_EXECUTABLE;
}

/* Where the recorder is, and what it uses. */
static int find_recorder(struct trace *t, struct place *place, struct recorder_about *about)
{
	int err = recorder_find(t->bpffs ?: PLACE_BPFFS, place, about);

	if (err)
		return err;
	t->opts.tuning.pinned = place->whole;
	t->opts.tuning.newest_map = about->newest_map;
	t->opts.sources = about->sources;
	if (about->longer_ns)
		t->opts.tuning.waits = &source_longwaits;
	t->opts.tuning.longer_ns = t->totals.waits.longer_ns = about->longer_ns;
	t->totals.waits.not_seen = *about->not_seen ? about->not_seen : NULL;
	t->newest = t->last_nr ? newest_new(t->last_nr) : NULL;
	return t->last_nr && !t->newest ? -ENOMEM : 0;
}

static int trace_start(struct trace *t)
{
	int err = t->last ? find_recorder(t, &t->place, &t->about) : 0;

	if (!err)
		err = trace_opts_open(&t->session, &t->opts, t->last ? "recorded" : "tracing",
				      on_failure, t);
	if (err)
		return cmd_exit_code(err);
	err = t->output ? open_output(t->output) : 0;
	if (!err && t->ready_file)
		err = write_ready(t->ready_file);
	if (!err)
		err = start_command(t);
	if (!err && t->output)
		empty_output(t->output);
	if (err) {
		family_close(t->family);
		session_close(t->session);
	}
	return err < 0 ? EXIT_FAIL : err;
}

static int print_repeats(const struct failure *first, const struct lockname *wanted, __u64 again,
			 void *ctx)
{
	struct trace *t = ctx;

	return print_repeat(t->session, first, wanted, again, &t->opts.print);
}

static void warn_of_strangers(struct trace *t)
{
	unsigned long long lost = t->family ? family_read(t->family) : 0;

	if (lost)
		pr_warn("%llu starts of tasks, or loads of programs, of the command were not "
			"noticed: their failures are among the others",
			lost);
}

static int print_end(struct trace *t)
{
	int err = t->unique ? unique_repeats(t->unique, print_repeats, t) : 0;

	warn_of_strangers(t);
	if (!tally_nr(&t->totals.tally))
		trace_filter_no_match(&t->opts.filter, t->totals.events);
	return err ?: print_summary(t->session, &t->totals, &t->opts.print);
}

static int cmd_trace_run(int argc, char **argv)
{
	struct trace t = {};
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &t);
	if (t.output || !isatty(STDOUT_FILENO))
		setvbuf(stdout, NULL, _IOFBF, OUT_BUFFER);
	t.unique = t.fold ? unique_new() : NULL;
	if (t.fold && !t.unique) {
		pr_err("out of memory");
		return EXIT_FAIL;
	}
	err = trace_start(&t);
	if (err) {
		unique_free(t.unique);
		return err;
	}
	err = t.last ? follow_last(&t) : trace_follow(&t);
	session_losses(t.session, &t.totals.losses);
	t.totals.waits.lost = session_lost_waits(t.session, &t.totals.waits.unknown);
	session_lost_each(t.session, on_loss, &t);
	if (!t.err)
		t.err = print_end(&t) ?: out_flush();
	newest_free(t.newest);
	unique_free(t.unique);
	family_close(t.family);
	session_close(t.session);
	tally_free(&t.totals.tally);
	return err ? EXIT_FAIL : exit_code(&t);
}

const struct cmd cmd_trace = {
	.name = "trace",
	.summary = "show each failed acquisition as it happens",
	.argp = &argp,
	.run = cmd_trace_run,
};
