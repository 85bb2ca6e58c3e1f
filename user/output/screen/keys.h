/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the keys do. */
#ifndef RQSPIN_TOP_KEYS_H
#define RQSPIN_TOP_KEYS_H

#include <stddef.h>

struct top_row;
struct top_state;

/* Handles one key of curses. @rows: the list as it is shown. */
void top_key(struct top_state *st, int key, const struct top_row *rows, size_t nr);

/* A line of help each, NULL at the end. */
extern const char *const top_key_help[];

#endif
