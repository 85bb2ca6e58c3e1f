/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the user of the screen has asked for. */
#ifndef RQSPIN_TOP_STATE_H
#define RQSPIN_TOP_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "output/screen/rows.h"

#define TOP_FILTER 64

enum top_page { TOP_LIST, TOP_DETAIL, TOP_HELP, TOP_MESSAGES };
enum top_color { TOP_COLOR_AUTO, TOP_COLOR_ALWAYS, TOP_COLOR_NEVER };

/**
 * struct top_state - what is shown, and how
 * @page: which page
 * @by: what a row of the list is about
 * @sort: its order
 * @filter: only rows that have this in their names
 * @before: the filter before this one was typed
 * @typing: keys are letters of the filter
 * @color: whether there are colours
 * @frozen: the screen stays as it is; counting goes on
 * @interval: seconds between two refreshes
 * @selected: row of the list
 * @first: uppermost row that is visible
 * @scroll: uppermost line of the details
 * @detail: the row of the details, as it was when they were opened
 * @height: rows that are visible, for keys that move by pages
 * @nr: rows there are
 * @quit: the user wants to leave
 */
struct top_state {
	enum top_page page;
	enum top_by by;
	enum top_sort sort;
	char filter[TOP_FILTER], before[TOP_FILTER];
	enum top_color color;
	bool typing, frozen;
	double interval;
	size_t selected, first, scroll;
	struct top_row detail;
	size_t height, nr;
	bool quit;
};

/* Move the selection by @by rows; it stays within the list. */
void top_state_move(struct top_state *st, long by);

/* The list has @nr rows, the screen room for @height: keep the selected row visible. */
void top_state_fit(struct top_state *st, size_t nr, size_t height);

/* Rows are about something else from now on, or have another order: begin at the top. */
void top_state_restart(struct top_state *st);

#endif
