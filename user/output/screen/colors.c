// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <curses.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/screen/colors.h"

#define TERMINALS_OWN (-1)

static bool colored;

/* Also without colours no two of the first five look alike. */
static const struct {
	short text, ground;
	unsigned int colored, plain;
} looks[LOOK_NR] = {
	[LOOK_PLAIN] = { TERMINALS_OWN, TERMINALS_OWN, A_NORMAL, A_NORMAL },
	[LOOK_TITLE] = { COLOR_CYAN, TERMINALS_OWN, A_BOLD, A_BOLD },
	[LOOK_HEADS] = { COLOR_BLACK, COLOR_GREEN, A_NORMAL, A_BOLD | A_UNDERLINE },
	[LOOK_SELECTED] = { COLOR_BLACK, COLOR_CYAN, A_NORMAL, A_REVERSE },
	[LOOK_ACTIVE] = { COLOR_RED, TERMINALS_OWN, A_BOLD, A_BOLD },
	[LOOK_WARNING] = { COLOR_YELLOW, TERMINALS_OWN, A_BOLD, A_BOLD },
	[LOOK_LOSS] = { COLOR_RED, TERMINALS_OWN, A_BOLD, A_BOLD },
	[LOOK_KEYS] = { COLOR_CYAN, TERMINALS_OWN, A_NORMAL, A_NORMAL },
};

/* no-color.org: NO_COLOR, set and not empty, asks for no colours */
static bool wanted_at_all(enum top_color wanted)
{
	const char *no = getenv("NO_COLOR");

	if (wanted == TOP_COLOR_AUTO)
		return !no || !*no;
	return wanted == TOP_COLOR_ALWAYS;
}

void colors_start(enum top_color wanted)
{
	colored = wanted_at_all(wanted) && has_colors() && start_color() != ERR;
	if (!colored)
		return;
	use_default_colors();
	for (short i = 0; i < LOOK_NR; i++)
		if (init_pair(i + 1, looks[i].text, looks[i].ground) == ERR)
			colored = false;
}

unsigned int colors_of(enum top_look look)
{
	return colored ? COLOR_PAIR(look + 1) | looks[look].colored : looks[look].plain;
}

int top_color_parse(const char *word, enum top_color *color)
{
	static const char *const words[] = { "auto", "always", "never" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(words[i], word))
			continue;
		*color = i;
		return 0;
	}
	return -EINVAL;
}
