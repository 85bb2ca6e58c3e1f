// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <curses.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "output/screen/keys.h"
#include "output/screen/state.h"

#define ESC	     27
#define DEL	     127
#define CTRL(c)	     ((c) & 31)
#define INTERVAL_MIN 0.125
#define INTERVAL_MAX 64

const char *const top_key_help[] = {
	"Up Down PgUp PgDn Home End   select a row (also k and j)",
	"Enter   the row in detail, with its latest failure",
	"Tab     rows are locks, programs, or programs with a lock",
	"s S     next or previous order: failures, rate, wait, max, contended, name",
	"/       show rows with some text in their names, as you type; Esc: as it was",
	"Space   freeze the screen, or let it go on; counting never stops",
	"+ -     refresh half or twice as often",
	"Esc     back; in the list: drop the filter",
	"m       messages and warnings",
	"h ?     this help, and back",
	"q       quit",
	NULL,
};

static bool is_enter(int key)
{
	return key == '\n' || key == '\r' || key == KEY_ENTER;
}

static void type_letter(struct top_state *st, int key)
{
	size_t len = strlen(st->filter);

	if (key == KEY_BACKSPACE || key == DEL || key == CTRL('h')) {
		/* Removes a whole character, which may have several bytes. */
		while (len && (st->filter[--len] & 0xc0) == 0x80)
			;
		st->filter[len] = 0;
	} else if (key >= ' ' && key <= UCHAR_MAX && len + 1 < sizeof(st->filter)) {
		st->filter[len] = key;
		st->filter[len + 1] = 0;
	}
	top_state_restart(st);
}

static void type_key(struct top_state *st, int key)
{
	if (key == ESC) {
		memcpy(st->filter, st->before, sizeof(st->filter));
		top_state_restart(st);
	}
	if (is_enter(key) || key == ESC)
		st->typing = false;
	else
		type_letter(st, key);
}

static void start_typing(struct top_state *st)
{
	memcpy(st->before, st->filter, sizeof(st->before));
	st->filter[0] = 0;
	st->typing = true;
	top_state_restart(st);
}

static bool move_key(struct top_state *st, int key)
{
	static const struct {
		int key;
		long rows, pages;
	} moves[] = {
		{ KEY_UP, -1, 0 },	   { 'k', -1, 0 },
		{ KEY_DOWN, 1, 0 },	   { 'j', 1, 0 },
		{ KEY_PPAGE, 0, -1 },	   { KEY_NPAGE, 0, 1 },
		{ KEY_HOME, -INT_MAX, 0 }, { KEY_END, INT_MAX, 0 },
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		if (moves[i].key != key)
			continue;
		top_state_move(st, moves[i].rows + moves[i].pages * (long)st->height);
		return true;
	}
	return false;
}

static void interval_scale(struct top_state *st, double by)
{
	double interval = st->interval * by;

	if (interval >= INTERVAL_MIN && interval <= INTERVAL_MAX)
		st->interval = interval;
}

static void page_back(struct top_state *st)
{
	if (st->page == TOP_LIST) {
		st->filter[0] = 0;
		top_state_restart(st);
	}
	st->page = TOP_LIST;
}

/* The key that opens a page closes it, too. */
static void page_toggle(struct top_state *st, enum top_page page)
{
	st->page = st->page == page ? TOP_LIST : page;
	st->scroll = 0;
}

static void open_detail(struct top_state *st, const struct top_row *rows, size_t nr)
{
	if (st->page != TOP_LIST || st->selected >= nr)
		return;
	st->detail = rows[st->selected];
	st->detail.latest = NULL; /* both belong to the snapshot */
	st->detail.contended = NULL;
	st->scroll = 0;
	st->page = TOP_DETAIL;
}

static void list_key(struct top_state *st, int key)
{
	switch (key) {
	case '\t':
		st->by = (st->by + 1) % TOP_NR_BY;
		break;
	case 's':
		st->sort = (st->sort + 1) % TOP_NR_SORT;
		break;
	case 'S':
		st->sort = (st->sort + TOP_NR_SORT - 1) % TOP_NR_SORT;
		break;
	case '/':
		start_typing(st);
		return;
	default:
		return;
	}
	top_state_restart(st);
}

void top_key(struct top_state *st, int key, const struct top_row *rows, size_t nr)
{
	if (st->typing) {
		type_key(st, key);
		return;
	}
	if (move_key(st, key))
		return;
	if (is_enter(key))
		open_detail(st, rows, nr);
	else if (key == ' ')
		st->frozen = !st->frozen;
	else if (key == '+' || key == '-')
		interval_scale(st, key == '+' ? 0.5 : 2);
	else if (key == 'h' || key == '?')
		page_toggle(st, TOP_HELP);
	else if (key == 'm')
		page_toggle(st, TOP_MESSAGES);
	else if (key == ESC)
		page_back(st);
	else if (key == 'q')
		st->quit = true;
	else if (st->page == TOP_LIST)
		list_key(st, key);
}
