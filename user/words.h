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
 * @live: they depend on what is loaded, or on the object: asked for whenever they are needed
 */
struct words {
	const char *option;
	json_t *(*list)(const char *object);
	bool live;
};

/* NULL: its value is no word out of a list. */
const struct words *words_find(const char *option);

/* One word a line. Returns false if the option has none. */
bool words_print(const char *option, const char *object);

#endif
