// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* rqspin-sim: locks on simulated machines. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/report.h"

/* Exit codes: 0, what a run says (1: it failed), 2 for bad input. */
enum { DONE, FAILED, BAD_INPUT };

enum { KEY_BATCH = 0x1000, KEY_JSON, KEY_LIST };

struct options {
	json_t *job;
	const char *threads;
	bool batch, json, list;
};

static const struct argp_option options[] = {
	{ "lock", 'l', "LOCK", 0, "Simulate LOCK (qspinlock); --list shows the names", 1 },
	{ "topology", 't', "FILE", 0, "On the machine of a JSON file (2 x 48 x 2)", 1 },
	{ "threads", 'n', "N,...", 0, "With so many threads, one row for each (2)", 1 },
	{ "set", 's', "KEY=VALUE", 0, "Set a member of the job, such as cs_ns=50", 1 },
	{ "batch", KEY_BATCH, NULL, 0, "Read jobs from stdin, a JSON object per line", 2 },
	{ "json", KEY_JSON, NULL, 0, "A JSON object per job", 2 },
	{ "list", KEY_LIST, NULL, 0, "List the locks", 2 },
	{ 0 },
};

static void set_topology(struct argp_state *state, struct options *o, const char *file)
{
	json_error_t error;
	json_t *t = json_load_file(file, JSON_REJECT_DUPLICATES, &error);

	if (!t)
		argp_failure(state, BAD_INPUT, 0, "%s:%d: %s", file, error.line, error.text);
	json_object_set_new(o->job, "topology", t);
}

/* KEY=VALUE; a value that is no JSON is a string. */
static void set_member(struct argp_state *state, struct options *o, const char *arg)
{
	const char *eq = strchr(arg, '=');
	char key[64];
	json_t *v;

	if (!eq || eq == arg || (size_t)(eq - arg) >= sizeof(key))
		argp_failure(state, BAD_INPUT, 0, "--set: '%s' is not KEY=VALUE", arg);
	snprintf(key, sizeof(key), "%.*s", (int)(eq - arg), arg);
	if (!strcmp(key, "threads"))
		argp_failure(state, BAD_INPUT, 0, "--set: use --threads");
	v = json_loads(eq + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	json_object_set_new(o->job, key, v ? v : json_string(eq + 1));
}

static error_t sim_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'l':
		json_object_set_new(o->job, "lock", json_string(arg));
		return 0;
	case 't':
		set_topology(state, o, arg);
		return 0;
	case 'n':
		o->threads = arg;
		return 0;
	case 's':
		set_member(state, o, arg);
		return 0;
	case KEY_BATCH:
		return o->batch = true, 0;
	case KEY_JSON:
		return o->json = true, 0;
	case KEY_LIST:
		return o->list = true, 0;
	case ARGP_KEY_ARG:
		argp_failure(state, BAD_INPUT, 0, "takes no arguments, but got '%s'", arg);
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = sim_parse,
	.doc = "Simulate locks on machines with many CPUs: cache lines, sockets, virtual CPUs.\v"
	       "A row or object has acquisitions per second, fairness and waits. Exit status: 0; "
	       "1 if a simulation failed; 2 for bad input.",
};

static int input_complain(const char *where, const char *error)
{
	fprintf(stderr, "rqspin-sim: %s%s\n", where, error);
	return BAD_INPUT;
}

static int simulate_load(const struct job *j, bool json)
{
	struct result r;

	if (run_job(j, &r))
		return input_complain("", "out of memory"), FAILED;
	if (json)
		report_json(stdout, j, &r);
	else
		report_row(stdout, j, &r);
	return DONE;
}

static int simulate_fault(const struct job *j, bool json)
{
	struct fault_result r;

	if (run_fault(j, &r))
		return input_complain("", "out of memory"), FAILED;
	if (json)
		report_fault_json(stdout, j, &r);
	else
		report_fault_row(stdout, j, &r);
	return DONE;
}

static int simulate_job(json_t *what, const char *where, bool json)
{
	struct job j;
	char error[JOB_ERROR];
	int ret;

	job_defaults(&j);
	if (job_read(&j, what, error))
		return input_complain(where, error);
	ret = j.parties ? simulate_fault(&j, json) : simulate_load(&j, json);
	return fflush(stdout) ? FAILED : ret;
}

static int simulate_batch(void)
{
	char *line = NULL, where[48];
	size_t room = 0;
	int ret = DONE;

	for (int n = 1; ret == DONE && getline(&line, &room, stdin) > 0; n++) {
		json_error_t error;
		json_t *job = json_loads(line, JSON_REJECT_DUPLICATES, &error);

		snprintf(where, sizeof(where), "stdin:%d: ", n);
		ret = job ? simulate_job(job, where, true) : input_complain(where, error.text);
		json_decref(job);
	}
	free(line);
	return ret;
}

static int simulate_sweep(struct options *o)
{
	const char *p = o->threads;
	int ret = DONE;

	if (!o->json && json_object_get(o->job, "parties"))
		report_fault_head(stdout);
	else if (!o->json)
		report_head(stdout);
	do {
		char *end;
		long n = strtol(p, &end, 10);

		if (end == p || (*end && *end != ','))
			return input_complain("--threads: not a list of numbers: ", o->threads);
		json_object_set_new(o->job, "threads", json_integer(n));
		ret = simulate_job(o->job, "", o->json);
		p = *end ? end + 1 : end;
	} while (ret == DONE && *p);
	return ret;
}

int main(int argc, char **argv)
{
	struct options o = { .job = json_object(), .threads = "2" };
	int ret = DONE;

	argp_err_exit_status = BAD_INPUT;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.list)
		report_locks(stdout);
	else
		ret = o.batch ? simulate_batch() : simulate_sweep(&o);
	json_decref(o.job);
	return ret;
}
