// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/refusal.h"

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* "23: (85) call ...", "0: R1=ctx()": an instruction, or what is known before it */
static bool is_insn(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	return digits && line[digits] == ':';
}

/* States, the way to them and statistics: what may stand behind the reason. */
static bool is_context(const char *line)
{
	static const char *const begins[] = {
		"cur state:", "old state:",   "from ",	      "mark_precise:",
		"parent ",    "last_idx ",    "regs=",	      "propagating ",
		"caller:",    "callee:",      "returning ",   "BPF program is ",
		"processed ", "stack depth ", "safe",	      " R",
		" frame",     "frame",	      "to caller at", "verification time",
		"func#",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (starts(line, begins[i]))
			return true;
	return !*line || is_insn(line);
}

/* "; text @ file.c:53", without the file before Linux 6.8 */
static void set_source(struct refusal *r, const char *line)
{
	const char *at = NULL;

	for (const char *next = strstr(line, " @ "); next; next = strstr(next + 1, " @ "))
		at = next;
	snprintf(r->text, sizeof(r->text), "%.*s", at ? (int)(at - line) : (int)strlen(line), line);
	snprintf(r->at, sizeof(r->at), "%s", at ? at + 3 : "");
}

bool refusal_find(const char *log, struct refusal *r)
{
	char *copy = strdup(log), *rest = copy, *line;
	bool ended = false;

	memset(r, 0, sizeof(*r));
	while (copy && (line = strsep(&rest, "\n"))) {
		ended |= starts(line, "processed ");
		if (starts(line, "; "))
			set_source(r, line + 2);
		else if (!is_context(line))
			snprintf(r->reason, sizeof(r->reason), "%s", line);
	}
	free(copy);
	return ended && *r->reason;
}
