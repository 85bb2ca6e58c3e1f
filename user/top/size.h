/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The size of the screen, within what curses can do. */
#ifndef RQSPIN_TOP_SIZE_H
#define RQSPIN_TOP_SIZE_H

#include <stdbool.h>

#define SIZE_LINES_MAX 500
#define SIZE_COLS_MAX  1000

/* Before curses is started: it is to leave the size to us. */
void size_own(void);

/* That of the terminal, or the largest that is supported. True if it has changed. */
bool size_follow(void);

/* What a terminal says of itself, made fit; 0 is unknown. For tests, too. */
int size_within(int told, int otherwise, int most);

#endif
