// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "cmd.h"
#include "cpus.h"
#include "log.h"
#include "proginfo.h"
#include "trace.h"
#include "trace_filter.h"

enum { KEY_PID = 0x2000, KEY_CPU, KEY_KIND };

static const struct argp_option options[] = {
	{ "prog", 'p', "ID|NAME", 0, "Only failures of this BPF program", 1 },
	{ "pid", KEY_PID, "PID", 0, "Only failures in this process", 1 },
	{ "cpu", KEY_CPU, "LIST", 0, "Only failures on these CPUs, as in 0,2-3", 1 },
	{ "kind", KEY_KIND, "LIST", 0,
	  "Only these kinds: aa, abba, cycle, timeout, nested, unknown", 1 },
	{ 0 },
};

static int parse_kinds(const char *text, unsigned int *mask)
{
	char *list = strdup(text), *rest = list, *word;
	unsigned int found = 0;

	if (!list)
		return -ENOMEM;
	while ((word = strsep(&rest, ","))) {
		__u32 k = RQSPIN_UNKNOWN;

		while (k <= RQSPIN_NESTED && strcasecmp(word, kind_name(k)))
			k++;
		if (k > RQSPIN_NESTED) {
			free(list);
			return -EINVAL;
		}
		found |= 1U << k;
	}
	free(list);
	*mask = found;
	return 0;
}

static void set_kinds(const char *text, struct trace_filter *flt, struct argp_state *state)
{
	int err = parse_kinds(text, &flt->kinds);

	if (err == -ENOMEM)
		argp_failure(state, EXIT_FAIL, ENOMEM, "--kind");
	else if (err)
		argp_error(state,
			   "--kind: '%s' is not a list of aa, abba, cycle, timeout, nested, "
			   "unknown",
			   text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct trace_filter *flt = state->input;
	int n;

	switch (key) {
	case 'p':
		if (!*arg)
			argp_error(state, "--prog: an id or a name is needed");
		flt->prog = arg;
		return 0;
	case KEY_PID:
		if (opt_u64(arg, 1, INT_MAX, &flt->pid))
			argp_error(state, "--pid: '%s' is not a process id", arg);
		return 0;
	case KEY_CPU:
		n = opt_cpus(arg, flt->cpus);
		if (n < 0)
			argp_error(state, "--cpu: '%s' is not a list of CPUs like 0,2-3: %s", arg,
				   n == -EEXIST ? "a CPU is named twice" : strerror(-n));
		flt->nr_cpus = n;
		return 0;
	case KEY_KIND:
		set_kinds(arg, flt, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp trace_filter_argp = { .options = options, .parser = parse };

/* True: the text is an id and not a name. */
static bool prog_id(const char *text, __u32 *id)
{
	uint64_t v;

	if (opt_u64(text, 1, UINT32_MAX, &v))
		return false;
	*id = v;
	return true;
}

bool trace_filter_valid(const struct trace_filter *flt)
{
	__u32 id;
	int fd;

	if (!flt->prog || !prog_id(flt->prog, &id))
		return true;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	if (errno != ENOENT)
		return true; /* not allowed to ask: the session will say so */
	pr_err("--prog: no BPF program has the id %u ('bpftool prog' lists them)", id);
	return false;
}

bool trace_filter_prog(const struct trace_filter *flt, __u32 id, const char *name, const char *full)
{
	__u32 want;

	if (!flt->prog)
		return true;
	if (prog_id(flt->prog, &want))
		return id == want;
	return !strcmp(name, flt->prog) || (full && !strcmp(full, flt->prog));
}

static bool prog_loaded(const struct trace_filter *flt, const struct proginfos *progs)
{
	for (const struct proginfo *p = proginfos_first(progs); p; p = p->next)
		if (trace_filter_prog(flt, p->id, p->name, p->full_name))
			return true;
	return false;
}

void trace_filter_warn(const struct trace_filter *flt, const struct proginfos *progs)
{
	if (flt->prog && !prog_loaded(flt, progs))
		pr_warn("--prog: no program '%s' is loaded yet ('bpftool prog' lists them)",
			flt->prog);
	if (flt->pid && kill(flt->pid, 0) && errno == ESRCH)
		pr_warn("--pid: there is no process %llu", (unsigned long long)flt->pid);
	for (int i = 0; i < flt->nr_cpus; i++)
		if (!cpu_online(flt->cpus[i]))
			pr_warn("--cpu: CPU %d is not online", flt->cpus[i]);
}

static bool match_prog(const struct trace_filter *flt, const struct failure *f)
{
	if (f->prog)
		return trace_filter_prog(flt, f->prog_id, f->prog->name, f->prog->full_name);
	return trace_filter_prog(flt, f->prog_id, f->ev.prog, NULL);
}

bool trace_filter_match(const struct trace_filter *flt, const struct failure *f)
{
	bool cpu = !flt->nr_cpus;

	for (int i = 0; i < flt->nr_cpus; i++)
		cpu |= (__u32)flt->cpus[i] == f->ev.cpu;
	return cpu && match_prog(flt, f) && (!flt->pid || flt->pid == f->ev.pid) &&
	       (!flt->kinds || flt->kinds & (1U << f->ev.kind));
}
