/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which words an option takes as its value: for completion. */
#ifndef RQSPIN_WORDS_H
#define RQSPIN_WORDS_H

#include <jansson.h>
#include <stdbool.h>

/**
 * struct words - the words that an option takes
 * @option: its long name
 * @list: makes a JSON array of them; object is the BPF object on the command line, or NULL
 * @live: the words depend on the loaded programs or on the object, so they are listed at each use
 */
struct words {
	const char *option;
	json_t *(*list)(const char *object);
	bool live;
};

/* NULL: the option's value is not from a list of words. */
const struct words *words_find(const char *option);

/* One word a line. Returns false if the option has none. */
bool words_print(const char *option, const char *object);

#endif
