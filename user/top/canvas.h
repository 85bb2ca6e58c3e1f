/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text on the screen, within its edges. */
#ifndef RQSPIN_TOP_CANVAS_H
#define RQSPIN_TOP_CANVAS_H

#include <stddef.h>

/* One line; what does not fit is cut off. attr: as curses has it. */
void canvas_put(int y, unsigned int attr, const char *text);

/*
 * Lines from y on, wrapped at the right edge, of which the first are skipped. Returns how many were
 * skipped: so many that the last line is visible, at most.
 */
size_t canvas_text(int y, int height, size_t skip, const char *text);

#endif
