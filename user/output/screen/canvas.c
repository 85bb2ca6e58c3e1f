// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "output/screen/canvas.h"

/* How many bytes of the text fit into so many columns. */
static size_t text_fitting(const char *text, size_t len, int columns)
{
	mbstate_t state = { 0 };
	size_t used = 0;

	while (used < len) {
		wchar_t c;
		size_t n = mbrtowc(&c, text + used, len - used, &state);
		int width = n && n <= len ? wcwidth(c) : 1;

		if (!n || n > len) {
			memset(&state, 0, sizeof(state));
			n = 1;
		}
		columns -= width > 0 ? width : 0;
		if (columns < 0)
			break;
		used += n;
	}
	return used;
}

static void line_put(int y, unsigned int attr, const char *text, size_t len)
{
	if (y < 0 || y >= LINES)
		return;
	attrset(attr);
	/* A character in the last cell of the screen would scroll it. */
	mvaddnstr(y, 0, text, text_fitting(text, len, y == LINES - 1 ? COLS - 1 : COLS));
	attrset(A_NORMAL);
}

void canvas_put(int y, unsigned int attr, const char *text)
{
	line_put(y, attr, text, strlen(text));
}

/* Bytes of the next line on the screen, which ends at a space if there is one. */
static size_t next_line(const char *text)
{
	size_t len = strcspn(text, "\n"), fits = text_fitting(text, len, COLS), at = fits;

	if (fits == len)
		return len;
	while (at > fits / 2 && text[at] != ' ')
		at--;
	if (at <= fits / 2)
		at = fits;
	return at ? at : len; /* a screen without width */
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; nr++) {
		text += next_line(text);
		text += *text == '\n' || *text == ' ';
	}
	return nr;
}

size_t canvas_text(int y, int height, size_t skip, const char *text)
{
	size_t nr = count_lines(text), most = nr > (size_t)height ? nr - height : 0;

	if (skip > most)
		skip = most;
	for (size_t i = 0; *text && i < skip + height; i++) {
		size_t len = next_line(text);

		if (i >= skip)
			line_put(y + i - skip, A_NORMAL, text, len);
		text += len;
		text += *text == '\n' || *text == ' ';
	}
	return skip;
}
