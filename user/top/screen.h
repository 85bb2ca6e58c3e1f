/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* top on a terminal. */
#ifndef RQSPIN_TOP_SCREEN_H
#define RQSPIN_TOP_SCREEN_H

#include <stdbool.h>

#include "top/state.h"

struct snapshot;

/* Is there a terminal that can do it? 0, or -errno after it has said why, and what else to use. */
int top_screen_usable(void);

/*
 * Take over the terminal, until top_screen_close(). Meanwhile messages are shown above its last
 * line; the latest of them are printed afterwards. -errno after it has said why.
 */
int top_screen_open(enum top_color color);
void top_screen_close(void);

/* sources: as session_sources() has them. */
void top_screen_draw(const struct snapshot *s, struct top_state *st, const char *sources);

/* Handle the keys that were pressed. True: something is to be drawn. */
bool top_screen_keys(const struct snapshot *s, struct top_state *st);

#endif
