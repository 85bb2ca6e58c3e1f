// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../base/json_out.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../base/out.h"
#include "cmd.h"
#include "../replay/builtin.h"
#include "../replay/folder.h"
#include "../replay/pick.h"
#include "../replay/read.h"
#include "../replay/source.h"
#include "../replay/view.h"

#define EVENT_MAX 1000000000000ULL

struct replay {
	const char *in;	 /* "-": standard input */
	const char *dir; /* NULL: none */
	uint64_t event;	 /* 0: not given */
	bool json, run, skip;

	struct pick pick;
	char from[600];
	struct scene scene;
	struct folder_object object;
	char *source;
	bool compiled;
};

enum { KEY_EVENT = 0x1000, KEY_RUN, KEY_SKIP };

static const struct argp_option options[] = {
	{ "event", KEY_EVENT, "N", 0, "Replay the Nth failure of the file instead of the first",
	  1 },
	{ "output", 'o', "DIR", 0,
	  "Write source, Makefile and object (replay.bpf.o) into DIR instead of printing the source",
	  2 },
	{ "run", KEY_RUN, NULL, 0,
	  "Write nothing, run the replay at once; needs no compiler. With --json, print what 'rqspin "
	  "run --json' prints",
	  2 },
	{ "skip", KEY_SKIP, NULL, 0,
	  "Leave out lines that 'rqspin trace --json' has not written, and count them", 3 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static void check_args(const struct replay *r, struct argp_state *state)
{
	if (r->dir && r->run)
		opts_error(state, "--output and --run exclude each other: run the object in the "
				  "folder with 'rqspin run'");
}

static error_t cmd_replay_parse(int key, char *arg, struct argp_state *state)
{
	struct replay *r = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->json;
		return 0;
	case KEY_EVENT:
		if (opt_u64(arg, 1, EVENT_MAX, &r->event))
			opts_error(state, "--event %s: not a number from 1", arg);
		return 0;
	case 'o':
		r->dir = arg;
		return 0;
	case KEY_RUN:
		r->run = true;
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
		check_args(r, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_replay_parse,
	.children = children,
	.args_doc = "EVENTS.jsonl",
	.doc = "Turn a recorded failure into a program that provokes the same one on a test "
	       "machine.\v"
	       "EVENTS.jsonl is what 'rqspin trace --json' has written; - is standard input. The "
	       "replay has as many programs as there were CPUs in the cycle, one per CPU, and "
	       "takes as many locks in the same order, in the same kind of place: a variable, an "
	       "array, a hash map. Its source names the program, line and lock that each stands "
	       "for. 'rqspin run DIR/replay.bpf.o' runs it, 'rqspin trace -- rqspin run "
	       "DIR/replay.bpf.o' also shows the failures. DIR must be yours, and nobody else may "
	       "write into it. Where DIR cannot be compiled, for want "
	       "of clang, the object is a built-in one that has locks and programs of its own "
	       "names. An event that does not say what happened is refused with exit status 3: "
	       "members of the cycle are missing, its kind is NESTED or unknown, or its locks are "
	       "inside maps.",
};

static json_t *read_event(struct replay *r, int *err)
{
	bool is_stdin = !strcmp(r->in, "-");
	struct lines l = { .name = is_stdin ? "standard input" : r->in, .skip = r->skip };
	json_t *event;

	l.in = is_stdin ? stdin : fopen(r->in, "re");
	if (!l.in) {
		*err = -errno;
		pr_err("%s: %s", r->in, strerror(-*err));
		/* A missing file is not a usage error. */
		return NULL;
	}
	r->pick.wanted = r->event ? r->event : 1;
	event = pick_failure(&r->pick, &l, err);
	if (!is_stdin)
		fclose(l.in);
	if (l.skipped)
		pr_warn("%s: %llu lines that 'rqspin trace --json' has not written are left out",
			l.name, l.skipped);
	if (event && !r->event && r->pick.failures > 1)
		pr_info("%s has %llu failures; this is the first, --event chooses another", l.name,
			r->pick.failures);
	snprintf(r->from, sizeof(r->from), "%s, line %llu", l.name, r->pick.line);
	return event;
}

static char *source_text(const struct replay *r)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	source_write(out, &r->scene, r->from);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int make_replay(struct replay *r, const json_t *event)
{
	void *image = NULL;
	int err = scene_read(&r->scene, event);

	if (err)
		return err;
	err = builtin_object(&r->scene, &image, &r->object.size);
	r->object.image = image;
	if (err)
		pr_err("the built-in object cannot be used: %s", strerror(-err));
	if (!err)
		r->source = source_text(r);
	if (err || r->source)
		return err;
	pr_err("out of memory");
	return -ENOMEM;
}

static int put_json(const struct replay *r)
{
	json_t *data = replay_json(&r->scene);

	json_object_set_new(data, "from", json_text(r->from));
	json_object_set_new(data, "event", json_integer(r->pick.wanted));
	json_object_set_new(data, "folder", json_text(r->dir ? r->dir : ""));
	json_object_set_new(data, "object",
			    !r->dir ? json_null() :
				      json_string(r->compiled ? "compiled" : "built-in"));
	json_put_pretty(data);
	return out_failed(out_flush());
}

static int put_replay(struct replay *r)
{
	int err = 0;

	if (r->dir)
		err = folder_write(r->dir, r->source, &r->object, &r->compiled);
	if (err)
		return err;
	if (r->dir && r->compiled)
		pr_info("'rqspin run %s/" FOLDER_OBJECT "' runs it", r->dir);
	else if (r->dir)
		pr_info("'rqspin run %s/" FOLDER_OBJECT
			"' runs it: a built-in object, as 'make' does not work there",
			r->dir);
	if (r->json)
		return put_json(r);
	if (r->dir)
		return 0;
	fputs(r->source, stdout);
	return out_failed(out_flush());
}

/* The object is a memory file, so that nothing is left behind however the run ends. */
static int run_replay(const struct replay *r)
{
	int fd = memfd_create("replay.bpf.o", MFD_CLOEXEC);
	char path[64], what[700];
	int rc = EXIT_FAIL;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(what, sizeof(what), "replay of %s", r->from);
	if (fd >= 0 && write(fd, r->object.image, r->object.size) == (ssize_t)r->object.size)
		rc = cmd_run_object(what, path, r->json);
	else
		pr_err("no memory for the object: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int cmd_replay_run(int argc, char **argv)
{
	struct replay *r = calloc(1, sizeof(*r));
	json_t *event;
	int err = 0, rc;

	if (!r) {
		pr_err("out of memory");
		return EXIT_FAIL;
	}
	argp_parse(&argp, argc, argv, 0, NULL, r);
	event = read_event(r, &err);
	if (!err)
		err = make_replay(r, event);
	if (!err && !r->run)
		err = put_replay(r);
	rc = cmd_exit_code(err);
	if (!err && r->run)
		rc = run_replay(r);
	json_decref(event);
	free((void *)r->object.image);
	free(r->source);
	free(r);
	return rc;
}

const struct cmd cmd_replay = {
	.name = "replay",
	.summary = "a program that provokes a recorded failure again",
	.argp = &argp,
	.run = cmd_replay_run,
};
