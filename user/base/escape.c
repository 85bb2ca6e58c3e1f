// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "base/escape.h"

#define ONE_MAX 16 /* "\U0001f600", or a character as it is */

/*
 * False for characters that iswprint() accepts but that have no glyph: some of them reverse the
 * direction of a line.
 */
static bool has_glyph(wchar_t c)
{
	static const struct {
		wchar_t first, last;
	} hidden[] = {
		{ 0xad, 0xad },	      { 0x61c, 0x61c },	    { 0x180e, 0x180e },
		{ 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },
		{ 0xfeff, 0xfeff },   { 0xfff0, 0xfffb },   { 0xe000, 0xf8ff },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0x10ffff },
	};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return false;
	return true;
}

static size_t escape_byte(unsigned char c, char one[ONE_MAX])
{
	static const char letters[] = "\nn\tt\rr\\\\";

	for (const char *l = letters; *l; l += 2)
		if (c == (unsigned char)*l)
			return snprintf(one, ONE_MAX, "\\%c", l[1]);
	return snprintf(one, ONE_MAX, "\\x%02x", c);
}

/*
 * Writes the first character of s, fit for a terminal, to one. Returns the number of its bytes in
 * s; room gets the number in one.
 */
static size_t escape_one(const char *s, size_t len, char one[ONE_MAX], size_t *room)
{
	mbstate_t state = { 0 };
	wchar_t c = 0;
	size_t n;

	if (*s >= ' ' && *s < 0x7f && *s != '\\') {
		*one = *s;
		*room = 1;
		return 1;
	}
	n = (unsigned char)*s < 0x80 ? 1 : mbrtowc(&c, s, len, &state);
	if (n == 1 || n == 0 || n > len) {
		*room = escape_byte(*s, one);
		return 1;
	}
	if (iswprint(c) && has_glyph(c) && n < ONE_MAX) {
		memcpy(one, s, n);
		*room = n;
	} else {
		*room = snprintf(one, ONE_MAX, c > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned int)c);
	}
	return n;
}

void escape_put(FILE *out, const char *s, size_t len)
{
	char one[ONE_MAX];
	size_t room;

	for (size_t at = 0; at < len;) {
		at += escape_one(s + at, len - at, one, &room);
		fwrite(one, 1, room, out);
	}
}

const char *escape_text(const char *s, char *buf, size_t size)
{
	size_t len = strlen(s), used = 0, fits = 0, room;
	char one[ONE_MAX];

	for (size_t at = 0; at < len; used += room) {
		at += escape_one(s + at, len - at, one, &room);
		if (used + room >= size) {
			strcpy(buf + fits, "...");
			return buf;
		}
		memcpy(buf + used, one, room);
		if (used + room + 4 <= size)
			fits = used + room;
	}
	buf[used] = 0;
	return buf;
}
