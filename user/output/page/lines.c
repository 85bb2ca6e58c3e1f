// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "output/page/lines.h"

#define SCHEMA "rqspin-event/2"

enum {
	NIL = 1 << JSON_NULL,
	TEXT = 1 << JSON_STRING,
	INT = 1 << JSON_INTEGER,
	OBJECT = 1 << JSON_OBJECT,
	ARRAY = 1 << JSON_ARRAY,
	BOOL = 1 << JSON_TRUE | 1 << JSON_FALSE
};

/* The members that the report uses of each type of line; docs/events.schema.json has all. */
static const struct member {
	const char *type, *name;
	unsigned int values;
} members[] = {
	{ "failure", "time", TEXT },
	{ "failure", "kind", TEXT },
	{ "failure", "parties", INT | NIL },
	{ "failure", "cpu", INT },
	{ "failure", "comm", TEXT | NIL },
	{ "failure", "prog", OBJECT | NIL },
	{ "failure", "map_id", INT | NIL },
	{ "failure", "lock", OBJECT | NIL },
	{ "failure", "held", ARRAY | NIL },
	{ "failure", "owner", OBJECT | NIL },
	{ "failure", "chain", ARRAY | NIL },
	{ "failure", "at", OBJECT | NIL },
	{ "failure", "report", TEXT | NIL },
	{ "wait", "time", TEXT },
	{ "wait", "wait_ns", INT },
	{ "repeat", "again", INT },
	{ "repeat", "kind", TEXT },
	{ "repeat", "prog", OBJECT | NIL },
	{ "repeat", "lock", OBJECT | NIL },
	{ "repeat", "at", OBJECT | NIL },
	{ "summary", "events", INT },
	{ "summary", "skipped", INT },
	{ "summary", "totals", ARRAY },
	{ "summary", "lost", INT },
	{ "summary", "lost_unknown", BOOL },
	{ "summary", "programs_missed", INT },
	{ "summary", "programs_unseen", INT },
	{ "summary", "sources", TEXT },
};

static bool known_type(const char *type)
{
	for (size_t i = 0; type && i < sizeof(members) / sizeof(members[0]); i++)
		if (!strcmp(members[i].type, type))
			return true;
	return false;
}

static bool wrong_member(const json_t *line, const struct member *m, char *why, size_t size)
{
	const json_t *value = json_object_get(line, m->name);

	if (!value)
		snprintf(why, size, "a %s without \"%s\"", m->type, m->name);
	else if (!(m->values & 1U << json_typeof(value)))
		snprintf(why, size, "\"%s\" of the %s has the wrong type", m->name, m->type);
	else if (json_is_integer(value) && json_integer_value(value) < 0)
		snprintf(why, size, "\"%s\" of the %s is negative", m->name, m->type);
	else
		return false;
	return true;
}

bool lines_wrong(const json_t *line, char *why, size_t size)
{
	const char *schema = json_string_value(json_object_get(line, "schema"));
	const char *type = json_string_value(json_object_get(line, "type"));

	if (!schema)
		snprintf(why, size, "not a line of 'rqspin trace --json': it has no \"schema\"");
	else if (strcmp(schema, SCHEMA))
		snprintf(why, size,
			 "the schema is '%s', not the '" SCHEMA "' of 'rqspin trace --json'",
			 schema);
	else if (!known_type(type))
		snprintf(why, size, "the type '%s' is none of failure, wait, repeat and summary",
			 type ? type : "");
	if (!schema || strcmp(schema, SCHEMA) || !known_type(type))
		return true;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (!strcmp(members[i].type, type) && wrong_member(line, &members[i], why, size))
			return true;
	return false;
}

static json_t *line_parse(const char *text, size_t len, char *why, size_t size)
{
	json_error_t error;
	json_t *line = json_loadb(text, len, 0, &error);

	if (!line) {
		snprintf(why, size, "not JSON: %s (column %d)%s", error.text, error.column,
			 text[len - 1] == '\n' ? "" : "; the line does not end: is it cut short?");
		return NULL;
	}
	if (!lines_wrong(line, why, size))
		return line;
	json_decref(line);
	return NULL;
}

static int line_take(struct lines *l, const char *text, size_t len, lines_fn fn, void *ctx)
{
	char why[512];
	json_t *line;

	l->nr++;
	if (strspn(text, " \t\r\n") == len)
		return 0;
	line = line_parse(text, len, why, sizeof(why));
	if (line) {
		fn(line, ctx);
		json_decref(line);
		return 0;
	}
	if (l->skip) {
		l->skipped++;
		pr_debug("%s:%llu: %s", l->name, l->nr, why);
		return 0;
	}
	pr_err("%s:%llu: %s; --skip leaves such lines out and counts them", l->name, l->nr, why);
	return -EBADMSG;
}

/* Returns the bytes of the line, without the 0 after them; 0 at the end of the file, or -errno. */
static ssize_t read_line(FILE *in, char **text, size_t *room)
{
	size_t len = 0;
	int c = 0;

	errno = 0;
	while (len < LINES_MAX && c != '\n' && (c = getc_unlocked(in)) != EOF) {
		if (len + 1 >= *room) {
			char *more = realloc(*text, *room ? *room * 2 : 4096);

			if (!more)
				return -ENOMEM;
			*text = more;
			*room = *room ? *room * 2 : 4096;
		}
		(*text)[len++] = c;
		(*text)[len] = 0;
	}
	return ferror(in) ? -(errno ?: EIO) : (ssize_t)len;
}

int lines_read(struct lines *l, lines_fn fn, void *ctx)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = read_line(l->in, &text, &room)) > 0) {
		if (len < LINES_MAX || text[len - 1] == '\n') {
			err = line_take(l, text, len, fn, ctx);
			continue;
		}
		err = -EFBIG;
		pr_err("%s:%llu: the line is longer than %d MiB: 'rqspin trace --json' has not "
		       "written it",
		       l->name, l->nr + 1, LINES_MAX >> 20);
	}
	if (!err && len < 0) {
		err = len;
		pr_err("%s: %s", l->name, strerror(-err));
	}
	free(text);
	return err;
}
