/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text on the screen, within its edges. */
#ifndef RQSPIN_TOP_CANVAS_H
#define RQSPIN_TOP_CANVAS_H

#include <stddef.h>

/* Puts one line; text beyond the right edge is cut off. @attr: attributes of curses. */
void canvas_put(int y, unsigned int attr, const char *text);

/*
 * Puts lines from @y on, wrapped at the right edge, without the first @skip ones. Returns how many
 * were skipped: at most so many that the last line is visible.
 */
size_t canvas_text(int y, int height, size_t skip, const char *text);

#endif
