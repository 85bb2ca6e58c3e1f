/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages of libbpf while it opens and loads an object: often the only reason for a failure. */
#ifndef RQSPIN_CHECK_SAID_H
#define RQSPIN_CHECK_SAID_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct said - messages of libbpf, oldest first
 * @warnings: without "libbpf: "
 * @absent: externs that neither the object nor this kernel defines, without duplicates
 */
struct said {
	char **warnings, **absent;
	size_t nr_warnings, nr_absent;
};

void said_begin(struct said *s); /* collects messages until said_end() */
void said_end(void);
void said_free(struct said *s); /* forgets all of it */

/* The first warning about it, such as "map 'x': ...": the text behind the colon, or NULL. */
const char *said_about(const struct said *s, const char *what, const char *name);

/* The first warning that begins with the text, as a whole, or NULL. */
const char *said_with(const struct said *s, const char *begin);

const char *said_first(const struct said *s); /* "" if there is none */
bool said_absent(const struct said *s, const char *name);

#endif
