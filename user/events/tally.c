// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "names/proginfo.h"
#include "events/failure.h"
#include "events/tally.h"

#define KEY_SIZE (offsetof(struct tally_row, others) + sizeof(bool))

/* NULL: no memory. */
static struct tally_row *row_of(struct tally *t, const struct tally_row *key)
{
	struct tally_row *row;
	bool added;

	t->groups.size = sizeof(*row);
	row = groups_get(&t->groups, key, KEY_SIZE, &added);
	if (row && added)
		*row = *key;
	return row;
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
	groups_clear(&t->groups);
}

size_t tally_nr(const struct tally *t)
{
	return t->groups.nr;
}

const struct tally_row *tally_at(const struct tally *t, size_t i)
{
	return groups_at(&t->groups, i);
}
