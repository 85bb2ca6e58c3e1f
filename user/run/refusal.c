// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/refusal.h"

/* libbpf's number of a function that it did not find: a helper that no kernel has. */
#define ABSENT_CALL "call unknown#2002"

static bool starts_with(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* "23: (85) call ...", "0: R1=ctx()": an instruction, or what is known before it */
static bool is_insn(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	return digits && line[digits] == ':';
}

/* Lines that may follow the reason: states, the path to them, and statistics. */
static bool is_context(const char *line)
{
	static const char *const begins[] = {
		"cur state:", "old state:",   "from ",	      "mark_precise:",
		"parent ",    "last_idx ",    "regs=",	      "propagating ",
		"caller:",    "callee:",      "returning ",   "BPF program is ",
		"processed ", "stack depth ", "safe",	      " R",
		" frame",     "frame",	      "to caller at", "verification time",
		"func#",      "; ",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (starts_with(line, begins[i]))
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

/* Parts of the report of Linux 7.3 and later, which follows the message. */
enum part { PART_NONE, PART_OTHER, PART_CAUSE, PART_AT, PART_LOCK, PART_PATH, PART_SUGGESTION };

/**
 * struct reader - the state while a log is read
 * @part: the part of the report that the line belongs to
 * @open: the next line, if it is a message, continues the last message
 */
struct reader {
	struct refusal *r;
	enum part part;
	bool open, ended;
};

static enum part part_of(const char *line)
{
	static const struct {
		const char *heading;
		enum part part;
	} parts[] = {
		{ "Reason:", PART_CAUSE },	    { "At:", PART_AT },
		{ "Active lock:", PART_LOCK },	    { "Causal path:", PART_PATH },
		{ "Suggestion:", PART_SUGGESTION },
	};
	size_t len = strlen(line);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(line, parts[i].heading))
			return parts[i].part;
	return isupper((unsigned char)*line) && len && line[len - 1] == ':' ? PART_OTHER :
									      PART_NONE;
}

static void text_append(char *text, size_t size, const char *more, const char *between)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s%s", len ? between : "", more);
}

/* "  prog @ file.c:2:78", in a part that names a place; @at gets it without the column. */
static bool place_read(const char *line, char *at, size_t size)
{
	const char *place = strstr(line, " @ "), *end = strrchr(line, ':');

	if (!place || !end || end < place || strchr("|>^", line[strspn(line, " ")]))
		return false;
	snprintf(at, size, "%.*s", (int)(end - place - 3), place + 3);
	return true;
}

/* "        | ^-- branch: took the true branch ...", and the lines that continue it */
static void step_read_what(struct refusal_step *step, const char *line)
{
	const char *bar = strchr(line, '|'), *arrow = strstr(line, "^-- ");

	if (arrow)
		snprintf(step->what, sizeof(step->what), "%s", arrow + strlen("^-- "));
	else if (*step->what && bar && !strncmp(bar, "|     ", strlen("|     ")) &&
		 bar == line + strspn(line, " "))
		text_append(step->what, sizeof(step->what), bar + strlen("|     "), " ");
}

static void path_read(struct refusal *r, const char *line)
{
	struct refusal_step step = {};

	if (place_read(line, step.at, sizeof(step.at))) {
		if (r->nr_steps < REFUSAL_STEPS)
			r->steps[r->nr_steps++] = step;
		else
			r->more_steps++;
	} else if (r->nr_steps && !r->more_steps) {
		step_read_what(&r->steps[r->nr_steps - 1], line);
	}
}

static void report_read(struct reader *reader, const char *line)
{
	struct refusal *r = reader->r;
	const char *words = line + strspn(line, " ");

	switch (reader->part) {
	case PART_CAUSE:
		text_append(r->cause, sizeof(r->cause), words, " ");
		break;
	case PART_SUGGESTION:
		text_append(r->suggestion, sizeof(r->suggestion), words, " ");
		break;
	case PART_AT:
		place_read(line, r->at, sizeof(r->at));
		break;
	case PART_LOCK:
		place_read(line, r->lock_at, sizeof(r->lock_at));
		break;
	case PART_PATH:
		path_read(r, line);
		break;
	default:
		break;
	}
}

/* Returns false if the line is not part of the report: it is before it, or the report is over. */
static bool is_of_report(struct reader *reader, const char *line)
{
	enum part part;

	if (starts_with(line, "Verification failed: ")) {
		reader->part = PART_OTHER;
		return true;
	}
	if (!reader->part || (!*line && reader->part))
		return reader->part;
	part = part_of(line);
	if (part)
		reader->part = part;
	else if (*line == ' ')
		report_read(reader, line);
	else
		reader->part = PART_NONE;
	return reader->part;
}

/* Messages of several lines are joined: "global function calls ...,", "use static ... instead". */
static void message_read(struct reader *reader, const char *line)
{
	struct refusal *r = reader->r;
	size_t len = strlen(r->reason);

	if (!reader->open)
		*r->reason = 0;
	text_append(r->reason, sizeof(r->reason), line,
		    reader->open && len && r->reason[len - 1] == ',' ? " " : "; ");
	reader->open = true;
}

static void line_read(struct reader *reader, const char *line)
{
	struct refusal *r = reader->r;

	reader->ended |= starts_with(line, "processed ");
	if (is_of_report(reader, line))
		return;
	if (!is_context(line)) {
		message_read(reader, line);
		return;
	}
	if (starts_with(line, "; "))
		set_source(r, line + 2);
	if (is_insn(line))
		r->absent_call = strstr(line, ABSENT_CALL) || strstr(line, "<invalid kfunc call>");
	reader->open &= starts_with(line, "processed ") || !*line;
}

bool refusal_find(const char *log, struct refusal *r)
{
	char *copy = strdup(log), *rest = copy, *line;
	struct reader reader = { .r = r };

	memset(r, 0, sizeof(*r));
	while (copy && (line = strsep(&rest, "\n")))
		line_read(&reader, line);
	free(copy);
	return reader.ended && *r->reason;
}
