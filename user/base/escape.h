/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names from outside (tasks, programs, maps, files) on their way to a terminal. */
#ifndef RQSPIN_BASE_ESCAPE_H
#define RQSPIN_BASE_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/**
 * escape_put() - print text, with everything that is not printable escaped
 * @out: the stream to print to
 * @s: the text, of any bytes
 * @len: its length
 *
 * Newlines become "\n", other control characters and bytes that the locale cannot show "\x1b",
 * characters that have no glyph or reverse the direction of writing "\u202e", and backslashes "\\".
 */
void escape_put(FILE *out, const char *s, size_t len);

/**
 * escape_text() - the same into a buffer
 * @s: the text
 * @buf: gets the result; what does not fit is replaced by "..."
 * @size: of @buf, at least 4
 *
 * Return: @buf
 */
const char *escape_text(const char *s, char *buf, size_t size);

#define ESCAPED_ROOM 1400 /* the longest name of a lock, each byte escaped */

/* For an argument of printf(): lives until the end of the enclosing block. */
#define escaped(s) escape_text(s, (char[ESCAPED_ROOM]){ 0 }, ESCAPED_ROOM)

#endif
