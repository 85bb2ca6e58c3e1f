// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/cpus.h"
#include "base/log.h"
#include "base/opts.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/failure.h"
#include "events/filter.h"

enum { KEY_PID = 0x2000, KEY_CPU, KEY_KIND, KEY_LOCK, KEY_MAP, KEY_COMM };

#define COMM_MAX 15 /* the kernel truncates names of tasks and maps */

static const struct argp_option options[] = {
	{ "prog", 'p', "ID|NAME", 0, "Only failures of this BPF program", 1 },
	{ "pid", KEY_PID, "PID", 0, "Only failures in this process", 1 },
	{ "comm", KEY_COMM, "NAME", 0, "Only failures of tasks with this name", 1 },
	{ "cpu", KEY_CPU, "LIST", 0, "Only failures on these CPUs, as in 0,2-3", 1 },
	{ "kind", KEY_KIND, "LIST", 0,
	  "Only these kinds: aa, abba, cycle, timeout, nested, unknown", 1 },
	{ "lock", KEY_LOCK, "NAME|ADDR", 0,
	  "Only failures to acquire this lock: a name or address as trace shows it", 1 },
	{ "map", KEY_MAP, "ID|NAME", 0, "Only failures to acquire a lock in this map", 1 },
	{ 0 },
};

static_assert(sizeof(options) / sizeof(options[0]) == TRACE_FILTER_OPTIONS + 1,
	      "each may be given");

/* 0: a word that is no kind. */
static unsigned int kind_bit(const char *word, size_t len)
{
	for (__u32 k = RQSPIN_UNKNOWN; k <= RQSPIN_NESTED; k++)
		if (strlen(kind_name(k)) == len && !strncasecmp(word, kind_name(k), len))
			return 1U << k;
	return 0;
}

static int parse_kinds(const char *text, unsigned int *mask)
{
	unsigned int found = 0;

	for (const char *word = text, *end;; word = end + 1) {
		unsigned int bit;

		end = strchrnul(word, ',');
		bit = kind_bit(word, end - word);
		if (!bit)
			return -EINVAL;
		found |= bit;
		if (!*end)
			break;
	}
	*mask = found;
	return 0;
}

static const char *filter_word(const char *arg, const struct argp_state *state, const char *option)
{
	if (!*arg)
		opts_error(state, "--%s: a name is needed", option);
	return arg;
}

static void note_given(struct trace_filter *flt, int key, const char *arg)
{
	for (size_t i = 0; i < TRACE_FILTER_OPTIONS; i++)
		if (options[i].key == key)
			flt->given[i] = arg;
}

static error_t filter_parse(int key, char *arg, struct argp_state *state)
{
	struct trace_filter *flt = state->input;
	int n;

	note_given(flt, key, arg);
	switch (key) {
	case KEY_LOCK:
		flt->lock = filter_word(arg, state, "lock");
		return 0;
	case KEY_MAP:
		flt->map = filter_word(arg, state, "map");
		return 0;
	case KEY_COMM:
		flt->comm = filter_word(arg, state, "comm");
		return 0;
	case 'p':
		if (!*arg)
			opts_error(state, "--prog: an id or a name is needed");
		flt->prog = arg;
		return 0;
	case KEY_PID:
		if (opt_u64(arg, 1, INT_MAX, &flt->pid))
			opts_error(state, "--pid: '%s' is not a process id", arg);
		return 0;
	case KEY_CPU:
		n = opt_cpus(arg, flt->cpus);
		if (n < 0)
			opts_error(state, "--cpu: '%s' is not a list of CPUs like 0,2-3: %s", arg,
				   n == -EEXIST ? "a CPU is named twice" : strerror(-n));
		flt->nr_cpus = n;
		return 0;
	case KEY_KIND:
		if (parse_kinds(arg, &flt->kinds))
			opts_error(state,
				   "--kind: unknown kind in '%s'; known: aa, abba, cycle, timeout, "
				   "nested, unknown",
				   arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp trace_filter_argp = { .options = options, .parser = filter_parse };

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
		return true; /* not permitted: the session will report it */
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

static void put_given(FILE *out, const struct trace_filter *flt)
{
	const char *sep = "";

	for (size_t i = 0; i < TRACE_FILTER_OPTIONS; i++) {
		if (!flt->given[i])
			continue;
		fprintf(out, "%s--%s %s", sep, options[i].name, flt->given[i]);
		sep = " ";
	}
}

void trace_filter_no_match(const struct trace_filter *flt, unsigned long long seen)
{
	char *given = NULL;
	size_t size;
	FILE *out;

	out = trace_filter_any(flt) ? open_memstream(&given, &size) : NULL;
	if (!out)
		return;
	put_given(out, flt);
	fclose(out);
	if (seen)
		pr_info("no failure matched %s; %llu other%s seen", given, seen,
			seen == 1 ? " was" : "s were");
	else
		pr_info("no failure matched %s; no other was seen", given);
	free(given);
}

static bool match_prog(const struct trace_filter *flt, const struct failure *f)
{
	if (f->prog)
		return trace_filter_prog(flt, f->prog_id, f->prog->name, f->prog->full_name);
	return trace_filter_prog(flt, f->prog_id, f->ev.prog, NULL);
}

/* The kernel's name may be truncated. */
static bool same_name(const char *kept, const char *asked)
{
	return !strncmp(kept, asked, COMM_MAX) &&
	       (strlen(kept) == COMM_MAX || strlen(asked) <= COMM_MAX);
}

static bool match_map(const struct trace_filter *flt, __u32 id, const char *name)
{
	__u32 want;

	if (!flt->map)
		return true;
	if (prog_id(flt->map, &want))
		return id == want;
	return *name && same_name(name, flt->map);
}

static bool match_lock(const struct trace_filter *flt, const struct lockname *name)
{
	char text[320], addr[24];

	if (!flt->lock)
		return true;
	lockname_text(name, false, text, sizeof(text));
	snprintf(addr, sizeof(addr), "0x%llx", (unsigned long long)name->addr);
	return !strcmp(text, flt->lock) || !strcasecmp(addr, flt->lock);
}

static bool match_where(const struct trace_filter *flt, const struct failure *f,
			struct locknames *names)
{
	struct lockname name = {};

	if (!flt->lock && !flt->map)
		return true;
	/* A source may report the map of a lock without the lock itself. */
	locknames_find_inside(names, f->ev.lock, f->ev.ts_ns, f->prog, f->map_id, &name);
	return match_map(flt, name.map_id ?: f->map_id, name.map) && match_lock(flt, &name);
}

bool trace_filter_match(const struct trace_filter *flt, const struct failure *f,
			struct locknames *names)
{
	bool cpu = !flt->nr_cpus;

	for (int i = 0; i < flt->nr_cpus; i++)
		cpu |= (__u32)flt->cpus[i] == f->ev.cpu;
	return cpu && match_prog(flt, f) && (!flt->pid || flt->pid == f->ev.pid) &&
	       (!flt->kinds || (!f->waited && flt->kinds & (1U << f->ev.kind))) &&
	       (!flt->comm || same_name(f->ev.comm, flt->comm)) && match_where(flt, f, names);
}

bool trace_filter_by_task(const struct trace_filter *flt)
{
	return flt->pid || flt->comm;
}

bool trace_filter_beyond_waits(const struct trace_filter *flt)
{
	return trace_filter_by_task(flt) || flt->nr_cpus || flt->kinds;
}

bool trace_filter_any(const struct trace_filter *flt)
{
	return trace_filter_beyond_waits(flt) || flt->prog || flt->lock || flt->map;
}
