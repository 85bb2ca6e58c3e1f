/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text that is cut to the size of a buffer, but not within a character. */
#ifndef RQSPIN_BASE_UTF8_H
#define RQSPIN_BASE_UTF8_H

#include <stddef.h>

/* Removes the first bytes of a character whose last ones were cut off. Returns text. */
char *utf8_trim(char *text);

/* As much of text as fits; returns buf. */
char *utf8_copy(char *buf, size_t size, const char *text);

#endif
