// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Bytes of the character that begins with this one. */
static size_t utf8_length(unsigned char first)
{
	return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

char *utf8_trim(char *text)
{
	size_t len = strlen(text), at = len;

	while (at && len - at < 3 && (text[at - 1] & 0xc0) == 0x80)
		at--;
	if (at && at - 1 + utf8_length(text[at - 1]) > len)
		text[at - 1] = 0;
	return text;
}

char *utf8_copy(char *buf, size_t size, const char *text)
{
	snprintf(buf, size, "%s", text);
	return utf8_trim(buf);
}
