// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "output/screen/state.h"

void top_state_move(struct top_state *st, long by)
{
	size_t *at = st->page == TOP_LIST ? &st->selected : &st->scroll;

	if (by < 0)
		*at = *at > (size_t)-by ? *at + by : 0;
	else if (st->page != TOP_LIST || !st->nr || *at + by < st->nr)
		*at += by;
	else
		*at = st->nr - 1;
}

void top_state_fit(struct top_state *st, size_t nr, size_t height)
{
	st->nr = nr;
	st->height = height ? height : 1;
	if (st->selected >= nr)
		st->selected = nr ? nr - 1 : 0;
	if (st->first > st->selected)
		st->first = st->selected;
	if (st->selected - st->first >= st->height)
		st->first = st->selected - st->height + 1;
}

void top_state_restart(struct top_state *st)
{
	st->selected = st->first = 0;
}
