// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <curses.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/screen/size.h"

int size_within(int told, int otherwise, int most)
{
	if (told <= 0)
		return otherwise;
	return told < most ? told : most;
}

/*
 * A terminal may call itself 65535 lines high: curses then allocates gigabytes, and writes where
 * there is no memory. Here curses takes the size from the terminal's description, until
 * size_follow() sets another one.
 */
void size_own(void)
{
	use_env(FALSE);
	use_tioctl(FALSE);
	signal(SIGWINCH, SIG_IGN);
}

bool size_follow(void)
{
	struct winsize now = { 0 };
	int lines, cols;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &now);
	lines = size_within(now.ws_row, LINES, SIZE_LINES_MAX);
	cols = size_within(now.ws_col, COLS, SIZE_COLS_MAX);
	return !is_term_resized(lines, cols) ? false : resizeterm(lines, cols) == OK;
}
