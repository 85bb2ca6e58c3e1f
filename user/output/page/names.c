// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "output/page/names.h"

const char *report_member(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text ? text : "";
}

const char *report_prog(const json_t *line, char buf[REPORT_NAME])
{
	const json_t *prog = json_object_get(line, "prog");
	json_int_t id = json_integer_value(json_object_get(prog, "id"));

	if (*report_member(prog, "name"))
		utf8_copy(buf, REPORT_NAME, report_member(prog, "name"));
	else if (id)
		snprintf(buf, REPORT_NAME, REPORT_PROG_ID "%lld", (long long)id);
	else
		snprintf(buf, REPORT_NAME, "unknown program");
	return buf;
}

const char *report_lock(const json_t *lock, char buf[REPORT_NAME])
{
	utf8_copy(buf, REPORT_NAME, report_member(lock, "name"));
	if (!*buf)
		snprintf(buf, REPORT_NAME, "unknown lock");
	return buf;
}

const char *report_failed_lock(const json_t *line, char buf[REPORT_NAME])
{
	const json_t *lock = json_object_get(line, "lock"), *map = json_object_get(line, "map_id");

	if (json_is_null(lock) && json_is_integer(map)) {
		snprintf(buf, REPORT_NAME, REPORT_IN_MAP "%lld",
			 (long long)json_integer_value(map));
		return buf;
	}
	return report_lock(lock, buf);
}

const char *report_at(const json_t *line, char buf[REPORT_NAME])
{
	const json_t *at = json_object_get(line, "at");
	const char *file = report_member(at, "file"), *slash = strrchr(file, '/');

	*buf = 0;
	if (json_is_object(at))
		snprintf(buf, REPORT_NAME, "%s:%lld",
			 slash ? slash + 1 :
			 *file ? file :
				 "?",
			 (long long)json_integer_value(json_object_get(at, "line")));
	return utf8_trim(buf);
}
