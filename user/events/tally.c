// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/proginfo.h"
#include "events/failure.h"
#include "events/tally.h"

static bool row_same(const struct tally_row *a, const struct tally_row *b)
{
	return a->prog_id == b->prog_id && a->kind == b->kind && a->others == b->others &&
	       !strcmp(a->prog, b->prog);
}

/* NULL: no memory. */
static struct tally_row *row_of(struct tally *t, const struct tally_row *key)
{
	struct tally_row *rows;

	for (size_t i = 0; i < t->nr; i++)
		if (row_same(&t->rows[i], key))
			return &t->rows[i];
	rows = reallocarray(t->rows, t->nr + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	t->rows = rows;
	rows[t->nr] = *key;
	return &rows[t->nr++];
}

void tally_add(struct tally *t, const struct failure *like, __u64 nr, bool lost)
{
	struct tally_row key = { .others = !like }, *row;

	if (like) {
		key.prog_id = like->prog_id;
		key.kind = like->ev.kind;
		snprintf(key.prog, sizeof(key.prog), "%s",
			 like->prog ? like->prog->full_name : like->ev.prog);
	}
	row = row_of(t, &key);
	if (!row)
		return;
	row->failures += nr;
	row->lost += lost ? nr : 0;
}

void tally_free(struct tally *t)
{
	free(t->rows);
	t->rows = NULL;
	t->nr = 0;
}
