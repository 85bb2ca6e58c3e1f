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
#include "output/screen/canvas.h"
#include "output/screen/colors.h"
#include "output/screen/columns.h"
#include "output/screen/detail.h"
#include "output/screen/keys.h"
#include "output/screen/messages.h"
#include "output/screen/rows.h"
#include "output/screen/screen.h"
#include "output/screen/size.h"
#include "output/screen/snapshot.h"
#include "output/screen/state.h"

#define LINE   400
#define ESC_MS 25 /* later, Esc is a key, and not the beginning of one */

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

int top_screen_open(enum top_color color)
{
	size_own();
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		pr_err("cannot drive this terminal: use --batch");
		return -EIO;
	}
	size_follow();
	colors_start(color);
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

#define HEAD 4 /* lines above all pages */

static void draw_head(const struct snapshot *s, const struct top_state *st, const char *sources)
{
	char sums[LINE], lost[LOSSES_TEXT], line[LINE + 2 * TOP_FILTER];
	bool losses = s->losses.lost || losses_possible(&s->losses);

	snprintf(line, sizeof(line), "rqspin top  by %s, order %s, every %gs%s%s%s",
		 top_by_word(st->by), top_sort_word(st->sort), st->interval,
		 st->frozen ? "  FROZEN" : "", *st->filter ? "  filter: " : "",
		 escaped(st->filter));
	canvas_put(0, colors_of(LOOK_TITLE), line);
	top_sums(s, sums, sizeof(sums));
	canvas_put(1, colors_of(s->rate > 0 ? LOOK_ACTIVE : LOOK_PLAIN), sums);
	losses_text(&s->losses, lost);
	snprintf(line, sizeof(line), "lost: %s", lost);
	canvas_put(2, colors_of(losses ? LOOK_LOSS : LOOK_PLAIN), line);
	snprintf(line, sizeof(line), "sources: %s", sources);
	canvas_put(3, colors_of(LOOK_PLAIN), line);
}

static const char *keys_of(enum top_page page)
{
	switch (page) {
	case TOP_LIST:
		return "Enter detail  Tab by  s sort  / filter  Space freeze  h help  q quit";
	case TOP_HELP:
		return "h back  q quit";
	case TOP_MESSAGES:
		return "m back  Up Down scroll  q quit";
	default:
		return "Esc back  Up Down scroll  Space freeze  q quit";
	}
}

/* The last line; above it, only while there is one, the latest message. */
static void draw_foot(const struct top_state *st)
{
	char line[LINE + 2 * TOP_FILTER];

	if (messages_last()) {
		snprintf(line, sizeof(line), "%llu message%s (m): %s", messages_unseen(),
			 messages_unseen() == 1 ? "" : "s", messages_last());
		canvas_put(LINES - 2, colors_of(LOOK_WARNING), line);
	}
	if (st->typing) {
		snprintf(line, sizeof(line), "show rows with: %s_", escaped(st->filter));
		canvas_put(LINES - 1, colors_of(LOOK_TITLE), line);
	} else {
		canvas_put(LINES - 1, colors_of(LOOK_KEYS), keys_of(st->page));
	}
}

/* The lines between head and foot. */
static int body_height(int from)
{
	int foot = messages_last() ? 2 : 1;

	return LINES - foot > from ? LINES - foot - from : 0;
}

/* Puts a line and frees it. */
static void put_made(int y, enum top_look look, bool whole_width, char *line)
{
	char *wide = NULL;

	if (line && whole_width && asprintf(&wide, "%-*s", COLS, line) < 0)
		wide = NULL;
	if (line)
		canvas_put(y, colors_of(look), wide ?: line);
	free(wide);
	free(line);
}

static enum top_look row_look(const struct top_state *st, const struct top_row *r, size_t i)
{
	if (i == st->selected)
		return LOOK_SELECTED;
	return r->rate > 0 ? LOOK_ACTIVE : LOOK_PLAIN;
}

static void draw_empty(const struct top_state *st)
{
	canvas_put(HEAD + 2, A_NORMAL,
		   *st->filter ? "no row has this in its name (Esc drops the filter)" :
				 "no acquisition has failed since the start");
}

static void draw_list(const struct snapshot *s, struct top_state *st)
{
	struct top_layout layout;
	struct top_row *rows;
	int height = body_height(HEAD + 1);
	size_t nr;

	rows = top_rows(s, st->by, st->sort, st->filter, &nr);
	layout = top_layout_of(s, st->by, rows, nr, COLS);
	put_made(HEAD, LOOK_HEADS, true, top_heads(&layout, st->by));
	top_state_fit(st, nr, height);
	for (size_t i = st->first; rows && i < nr && i < st->first + height; i++)
		put_made(HEAD + 1 + i - st->first, row_look(st, &rows[i], i), i == st->selected,
			 top_line(&layout, s, st->by, &rows[i]));
	if (!nr && height > 1)
		draw_empty(st);
	free(rows);
}

static void draw_text(struct top_state *st, char *text)
{
	st->height = body_height(HEAD + 1) ?: 1;
	if (text)
		st->scroll = canvas_text(HEAD + 1, body_height(HEAD + 1), st->scroll, text);
	free(text);
}

static void draw_help(void)
{
	for (int i = 0; top_key_help[i] && i < body_height(HEAD + 1); i++)
		canvas_put(HEAD + 1 + i, A_NORMAL, top_key_help[i]);
}

static void draw_page(const struct snapshot *s, struct top_state *st)
{
	switch (st->page) {
	case TOP_LIST:
		draw_list(s, st);
		return;
	case TOP_DETAIL:
		draw_text(st, top_detail(s, &st->detail, st->by));
		return;
	case TOP_MESSAGES:
		messages_seen();
		draw_text(st, messages_text());
		return;
	case TOP_HELP:
		draw_help();
	}
}

void top_screen_draw(const struct snapshot *s, struct top_state *st, const char *sources)
{
	erase();
	draw_head(s, st, sources);
	draw_page(s, st);
	draw_foot(st);
	refresh();
}

bool top_screen_keys(const struct snapshot *s, struct top_state *st)
{
	bool any = size_follow();
	int key;

	/* A terminal moves its text when its size changes. */
	if (any)
		clearok(stdscr, TRUE);
	while (!st->quit && (key = getch()) != ERR) {
		struct top_row *rows;
		size_t nr;

		any = true;
		rows = top_rows(s, st->by, st->sort, st->filter, &nr);
		if (rows)
			top_key(st, key, rows, nr);
		free(rows);
	}
	return any;
}
