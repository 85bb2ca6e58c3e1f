// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "top/canvas.h"
#include "top/columns.h"
#include "top/detail.h"
#include "top/keys.h"
#include "top/messages.h"
#include "top/rows.h"
#include "top/screen.h"
#include "top/size.h"
#include "top/snapshot.h"
#include "top/state.h"

#define LINE   400
#define ESC_MS 25 /* after which Esc is a key, and not the beginning of one */

static SCREEN *screen;

int top_screen_usable(void)
{
	const char *term = getenv("TERM");
	int err;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
		pr_err("standard %s is no terminal: use --batch",
		       isatty(STDOUT_FILENO) ? "input" : "output");
		return -EINVAL;
	}
	if (!term || !*term || setupterm(NULL, STDOUT_FILENO, &err) != OK || !cursor_address) {
		pr_err("cannot drive a terminal of the type TERM='%s': set TERM to what it is "
		       "(vt100 may do), or use --batch",
		       term ? term : "");
		return -EOPNOTSUPP;
	}
	return 0;
}

int top_screen_open(void)
{
	size_own();
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		pr_err("cannot drive this terminal: use --batch");
		return -EIO;
	}
	size_follow();
	log_divert(messages_add);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESC_MS);
	curs_set(0);
	return 0;
}

void top_screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	log_divert(NULL);
	messages_print();
}

static void draw_head(const struct snapshot *s, const struct top_state *st, const char *sources)
{
	char sums[LINE], lost[LOSSES_TEXT], line[LINE + 2 * TOP_FILTER];

	snprintf(line, sizeof(line), "rqspin top  by %s, order %s, every %gs%s%s%s",
		 top_by_word(st->by), top_sort_word(st->sort), st->interval,
		 st->frozen ? "  FROZEN" : "", *st->filter ? "  filter: " : "",
		 escaped(st->filter));
	canvas_put(0, A_BOLD, line);
	top_sums(s, sums, sizeof(sums));
	canvas_put(1, A_NORMAL, sums);
	losses_text(&s->losses, lost);
	snprintf(line, sizeof(line), "lost: %s  sources: %s", lost, sources);
	canvas_put(2, s->losses.lost || losses_possible(&s->losses) ? A_BOLD : A_NORMAL, line);
}

static void draw_foot(const struct top_state *st)
{
	char line[LINE + 2 * TOP_FILTER];

	if (st->typing) {
		snprintf(line, sizeof(line), "show rows with: %s_", escaped(st->typed));
		canvas_put(LINES - 1, A_BOLD, line);
	} else if (st->page == TOP_LIST) {
		canvas_put(LINES - 1, A_NORMAL,
			   messages_last() ?:
					     "Enter detail  Tab by  s sort  / filter  Space freeze  "
					     "h help  q quit");
	} else {
		canvas_put(LINES - 1, A_NORMAL, "Esc back  Up Down scroll  Space freeze  q quit");
	}
}

/* What is left between head and foot. */
static int body_height(int from)
{
	return LINES - 1 > from ? LINES - 1 - from : 0;
}

static void draw_list(const struct snapshot *s, struct top_state *st)
{
	char line[TOP_COLUMNS + ESCAPED_ROOM + 2], numbers[TOP_COLUMNS], name[TOP_ROW_NAME];
	struct top_row *rows;
	size_t nr;

	rows = top_rows(s, st->by, st->sort, st->filter, &nr);
	top_heads(st->by, s->waits, line, sizeof(line));
	canvas_put(3, A_REVERSE, line);
	top_state_fit(st, nr, body_height(4));
	for (size_t i = 0; rows && i < (size_t)body_height(4) && st->first + i < nr; i++) {
		const struct top_row *r = &rows[st->first + i];

		top_columns(r, s->waits, numbers);
		snprintf(line, sizeof(line), "%s  %s", numbers,
			 escaped(top_row_name(r, st->by, name)));
		canvas_put(4 + i, st->first + i == st->selected ? A_STANDOUT : A_NORMAL, line);
	}
	free(rows);
}

static void draw_detail(const struct snapshot *s, struct top_state *st)
{
	char *text = top_detail(s, &st->detail, st->by);

	st->height = body_height(4) ?: 1;
	if (text)
		st->scroll = canvas_text(4, body_height(4), st->scroll, text);
	free(text);
}

static void draw_help(void)
{
	for (int i = 0; top_key_help[i] && i < body_height(4); i++)
		canvas_put(4 + i, A_NORMAL, top_key_help[i]);
}

void top_screen_draw(const struct snapshot *s, struct top_state *st, const char *sources)
{
	erase();
	draw_head(s, st, sources);
	if (st->page == TOP_LIST)
		draw_list(s, st);
	else if (st->page == TOP_DETAIL)
		draw_detail(s, st);
	else
		draw_help();
	draw_foot(st);
	refresh();
}

bool top_screen_keys(const struct snapshot *s, struct top_state *st)
{
	bool any = size_follow();
	int key;

	/* Terminals move what they show when their size changes. */
	if (any)
		clearok(stdscr, TRUE);
	while (!st->quit && (key = getch()) != ERR) {
		struct top_row *rows;
		size_t nr;

		any = true;
		messages_seen();
		rows = top_rows(s, st->by, st->sort, st->filter, &nr);
		if (rows)
			top_key(st, key, rows, nr);
		free(rows);
	}
	return any;
}
