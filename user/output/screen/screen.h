/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* top on a terminal. */
#ifndef RQSPIN_TOP_SCREEN_H
#define RQSPIN_TOP_SCREEN_H

#include <stdbool.h>

#include "output/screen/state.h"

struct snapshot;

/* Can the terminal show it? 0, or -errno after printing why, and what to use instead. */
int top_screen_usable(void);

/*
 * Take over the terminal, until top_screen_close(). Meanwhile messages are shown above its last
 * line; the latest of them are printed afterwards. 0, or -errno after printing why.
 */
int top_screen_open(enum top_color color);
void top_screen_close(void);

/* @sources: the text of session_sources(). */
void top_screen_draw(const struct snapshot *s, struct top_state *st, const char *sources);

/* Handle the keys that were pressed. True: the screen must be drawn. */
bool top_screen_keys(const struct snapshot *s, struct top_state *st);

#endif
