/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The size of the screen, within what curses can do. */
#ifndef RQSPIN_TOP_SIZE_H
#define RQSPIN_TOP_SIZE_H

#include <stdbool.h>

#define SIZE_LINES_MAX 500
#define SIZE_COLS_MAX  1000

/* Call it before curses is started, which then leaves the size to us. */
void size_own(void);

/* Sets the size to that of the terminal, or the largest supported one. True if it has changed. */
bool size_follow(void);

/* A size that a terminal reports, @most at most; @otherwise if it is unknown. For tests, too. */
int size_within(int told, int otherwise, int most);

#endif
