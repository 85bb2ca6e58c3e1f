// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "base/escape.h"
#include "replay/text.h"
#include "output/page/names.h"

__attribute__((format(printf, 2, 3))) static void text_add(char text[PARTY_TEXT], const char *fmt,
							   ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + used, PARTY_TEXT - used, fmt, args);
	va_end(args);
}

static void add_task(const json_t *party, char text[PARTY_TEXT])
{
	const char *comm = report_member(party, "comm");
	const json_t *pid = json_object_get(party, "pid"), *tid = json_object_get(party, "tid");

	if (json_is_integer(json_object_get(party, "cpu")))
		text_add(text, "%sCPU %lld", *text ? ", " : "",
			 (long long)json_integer_value(json_object_get(party, "cpu")));
	if (*comm && json_is_integer(pid))
		text_add(text, ", task %s/%lld", comm, (long long)json_integer_value(pid));
	else if (json_is_integer(tid))
		text_add(text, ", thread %lld", (long long)json_integer_value(tid));
}

const char *party_text(const struct scene_party *party, char text[PARTY_TEXT])
{
	const char *function = report_member(party->event, "function");
	char part[REPORT_NAME];

	*text = 0;
	if (!party->event) {
		text_add(text, "a CPU that the event does not show");
		return text;
	}
	if (json_is_object(json_object_get(party->event, "prog")))
		text_add(text, "%s", report_prog(party->event, part));
	else if (*function)
		text_add(text, "the kernel's %s", function);
	if (*report_at(party->event, part))
		text_add(text, " at %s", part);
	add_task(party->event, text);
	return text;
}

const char *lock_text(const struct scene_lock *lock, char text[LOCK_TEXT])
{
	json_int_t map = json_integer_value(json_object_get(lock->event, "map_id"));
	char name[REPORT_NAME];

	if (!lock->event)
		return strcpy(text, "a lock that the event does not show");
	report_lock(lock->event, name);
	if (!*report_member(lock->event, "name"))
		snprintf(text, LOCK_TEXT, "the lock at %s", report_member(lock->event, "addr"));
	else if (map)
		snprintf(text, LOCK_TEXT, "%s(map %lld)", name, (long long)map);
	else
		snprintf(text, LOCK_TEXT, "%s", name);
	return text;
}

void comment_put(FILE *out, const char *text)
{
	char before = 0;

	for (const char *c = escaped(text); *c; before = *c++) {
		/* Neither the end of the comment nor what looks like the beginning of another. */
		if ((*c == '/' && before == '*') || (*c == '*' && before == '/'))
			putc(' ', out);
		putc(*c, out);
	}
}
