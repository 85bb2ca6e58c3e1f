// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "counted.h"
#include "events/sources/report_parse.h"
#include "events/session.h"

#define DEADLOCK "ERROR: AA or ABBA deadlock detected for bpf_res_spin_lock"
#define TIMEOUT	 "ERROR: Timeout detected for bpf_res_spin_lock"

static bool starts_with(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static const char *next_line(const char *s)
{
	const char *nl = strchr(s, '\n');

	return nl ? nl + 1 : NULL;
}

static bool is_head(const char *line)
{
	return starts_with(line, DEADLOCK) || starts_with(line, TIMEOUT);
}

bool report_headless(const char *line)
{
	return starts_with(line, "Attempted lock   = 0x");
}

/* Does a report end before this line? second: the line before is its first. */
static bool is_end(const char *line, bool second)
{
	return *line == '\n' || is_head(line) || (!second && report_headless(line));
}

const char *report_find(const char *text, int partial, const char **end)
{
	const char *begin = text, *at;
	bool second = true;

	while (begin && !is_head(begin))
		begin = next_line(begin);
	if (!begin)
		return NULL;
	/* A report ends with an empty line, or where the next report begins. */
	for (at = next_line(begin); at && *at; at = next_line(at)) {
		if (is_end(at, second)) {
			*end = *at == '\n' ? at + 1 : at;
			return begin;
		}
		second = false;
	}
	*end = begin + strlen(begin);
	return partial ? begin : NULL;
}

const char *report_rest(const char *text)
{
	const char *end, *begin = report_find(text, 1, &end), *nl = strrchr(text, '\n');

	if (begin)
		return begin;
	return nl ? nl + 1 : text;
}

int report_append(char **text, size_t *len, const char *more, size_t n)
{
	char *grown = realloc(*text, *len + n + 1);

	if (!grown)
		return -ENOMEM;
	/* A program may write a NUL, which would end the text for every later search. */
	for (size_t i = 0; i < n; i++)
		grown[*len + i] = more[i] ?: '?';
	*text = grown;
	*len += n;
	grown[*len] = 0;
	return 0;
}

/* Held locks in the text, which may list more than an event has room for. */
struct listed {
	unsigned int nr;
	bool wanted; /* the wanted lock is among them */
};

static void parse_held(const char *line, struct rqspin_event *ev, struct listed *held)
{
	unsigned long long addr;
	unsigned int nth;

	if (sscanf(line, "Held lock[%u] = %llx", &nth, &addr) != 2)
		return;
	held->nr++;
	held->wanted |= addr == ev->lock;
	if (nth < RQSPIN_EVENT_HELD)
		ev->held[nth] = addr;
}

/*
 * The patched kernel's own line, "Kind             = CYCLE of 3, 12345 ns, owner CPU 2". Its
 * reports list only the locks that the failure is about.
 */
static void parse_kind(const char *line, struct failure *f)
{
	static const struct {
		const char *name;
		enum rqspin_kind kind;
		__u32 parties;
	} kinds[] = { { "AA", RQSPIN_AA, 1 },
		      { "ABBA", RQSPIN_ABBA, 2 },
		      { "CYCLE", RQSPIN_CYCLE, 0 },
		      { "TIMEOUT", RQSPIN_TIMEOUT, 0 },
		      { "NESTED", RQSPIN_NESTED, 0 } };
	const char *of = strstr(line, " of "), *comma = strchr(line, ','),
		   *end = strchrnul(line, '\n');
	const char *owner = strstr(line, ", owner CPU ");
	unsigned long long wait;
	char name[8];

	if (sscanf(line, "Kind = %7[A-Z]", name) != 1 || !comma || comma > end)
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(name, kinds[i].name))
			continue;
		f->told = f->some_held = true;
		f->ev.kind = kinds[i].kind;
		f->ev.parties = of && of < comma ? strtoul(of + 4, NULL, 10) : kinds[i].parties;
	}
	if (sscanf(comma, ", %llu ns", &wait) == 1)
		f->ev.wait_ns = wait;
	if (owner && owner < end)
		f->ev.owner_cpu = strtol(owner + strlen(", owner CPU "), NULL, 10);
}

static void parse_task(const char *line, struct rqspin_event *ev)
{
	const char *comm = strstr(line, " Comm: ");
	size_t len;

	if (sscanf(line, "CPU: %u UID: %*u PID: %u", &ev->cpu, &ev->tid) < 2 || !comm)
		return;
	comm += strlen(" Comm: ");
	len = strcspn(comm, "\n");
	if (len >= sizeof(ev->comm))
		len = sizeof(ev->comm) - 1;
	memcpy(ev->comm, comm, len);
	ev->comm[len] = 0;
}

/* Is the line in a lock function that `rqspin run` added? Then the next line is the call. */
static bool is_counting(const char *line)
{
	const char *at = strstr(line, " @ " COUNTED_FILE ":");

	return at && at < strchrnul(line, '\n');
}

/* "  err = bpf_res_spin_lock(&l); @ file.bpf.c:81": the innermost one is the failing call. */
static void parse_source(const char *line, struct failure *f)
{
	size_t len = strcspn(line, "\n"), n;
	const char *colon = memrchr(line, ':', len), *at = NULL;

	for (const char *c = line; (c = memmem(c, line + len - c, " @ ", 3)); c++)
		at = c + 3;
	if (!at || !colon || colon < at || !isdigit((unsigned char)colon[1]))
		return;
	n = colon - at;
	if (n >= sizeof(f->file))
		return;
	memcpy(f->file, at, n);
	f->file[n] = 0;
	f->ev.line = strtoul(colon + 1, NULL, 10);
}

static bool is_source(const char *line)
{
	return starts_with(line, "  ") && !is_counting(line);
}

/* Parses a copy of one line: if a number is missing, sscanf() would go on in the next line. */
static void parse_line(const char *text, struct failure *f, struct listed *held)
{
	struct rqspin_event *ev = &f->ev;
	unsigned long long addr;
	unsigned int nr;
	char line[256];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	if (sscanf(line, "Attempted lock = %llx", &addr) == 1)
		ev->lock = addr;
	else if (sscanf(line, "Total held locks = %u", &nr) == 1)
		ev->nr_held = nr;
	else if (starts_with(line, "Held lock["))
		parse_held(line, ev, held);
	else if (starts_with(line, "Kind "))
		parse_kind(line, f);
	else if (starts_with(line, "CPU: "))
		parse_task(line, ev);
}

/* The owner holds at least the wanted lock, whoever it is. */
static void set_owner_held(struct failure *f)
{
	if (!f->told || f->ev.owner_cpu < 0)
		return;
	f->ev.owner_held[0] = f->ev.lock;
	f->ev.nr_owner_held = 1;
	f->some_owner_held = true;
}

/*
 * The kernel's text is only "AA or ABBA". The held locks decide between the two if all are listed.
 */
static void set_kind(struct rqspin_event *ev, const struct listed *held)
{
	bool all = ev->nr_held && ev->nr_held == held->nr;

	if (ev->err == -ETIMEDOUT) {
		ev->kind = RQSPIN_TIMEOUT;
	} else if (held->wanted) {
		ev->kind = RQSPIN_AA;
		ev->parties = 1;
		ev->owner_cpu = ev->cpu;
		ev->nr_owner_held = ev->nr_held;
		memcpy(ev->owner_held, ev->held, sizeof(ev->held));
	} else {
		ev->kind = all ? RQSPIN_ABBA : RQSPIN_UNKNOWN;
		ev->parties = all ? 2 : 0;
	}
}

int report_parse(const char *report, size_t len, struct failure *f)
{
	const char *end = report + len;
	struct listed held = { 0 };
	bool seen = false;

	if (starts_with(report, DEADLOCK))
		f->ev.err = -EDEADLK;
	else if (starts_with(report, TIMEOUT))
		f->ev.err = -ETIMEDOUT;
	else
		return -EINVAL;
	for (const char *line = next_line(report); line && line < end; line = next_line(line)) {
		parse_line(line, f, &held);
		/*
		 * Only the innermost line: if that one is cut off, the line of the caller would be
		 * wrong.
		 */
		if (!seen && is_source(line))
			parse_source(line, f);
		seen |= is_source(line);
	}
	set_owner_held(f);
	if (!f->told)
		set_kind(&f->ev, &held);
	return f->ev.lock ? 0 : -EINVAL;
}

bool report_parse_dropped(const char *line, __u64 *dropped)
{
	unsigned long long n;

	if (sscanf(line, "stderr_dropped:%*[ \t]%llu", &n) != 1)
		return false;
	*dropped = n;
	return true;
}
