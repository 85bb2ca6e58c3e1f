/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the parts of the screen look, with colours and without. */
#ifndef RQSPIN_TOP_COLORS_H
#define RQSPIN_TOP_COLORS_H

#include "output/screen/state.h"

enum top_look {
	LOOK_PLAIN,
	LOOK_TITLE,
	LOOK_HEADS,    /* of the columns */
	LOOK_SELECTED, /* row */
	LOOK_ACTIVE,   /* row that fails now */
	LOOK_WARNING,
	LOOK_LOSS, /* there are losses, or there may be */
	LOOK_KEYS,
	LOOK_NR,
};

/* Call it when curses has the terminal. */
void colors_start(enum top_color wanted);

/* The attributes for curses. */
unsigned int colors_of(enum top_look look);

/* The words of --color. -EINVAL: no such word. */
int top_color_parse(const char *word, enum top_color *color);

#endif
