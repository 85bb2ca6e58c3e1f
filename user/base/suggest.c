// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "base/suggest.h"

#define LENGTH_MAX 40

static size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Number of letters to change, insert, delete or swap with the next. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t d[LENGTH_MAX + 1][LENGTH_MAX + 1];

	for (size_t i = 0; i <= na; i++) {
		for (size_t j = 0; j <= nb; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = size_min(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
					   size_min(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = size_min(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[na][nb];
}

void suggest_try(struct suggest *s, const char *name)
{
	size_t typed = strlen(s->typed), len = strlen(name), dist;

	if (typed > LENGTH_MAX || len > LENGTH_MAX)
		return;
	dist = edit_distance(s->typed, typed, name, len);
	/* One slip in three letters is allowed: with more it is another word. */
	if (dist > (typed + 2) / 3 || dist >= len || (s->best && dist >= s->distance))
		return;
	s->best = name;
	s->distance = dist;
}
