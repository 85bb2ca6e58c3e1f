// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include "shrink.h"

/* Replace a statement by the block @by that it contains; NULL: delete the statement. */
static bool replace_stmt(struct block *b, int at, const struct block *by)
{
	int n = by ? by->n : 0, after = b->n - at - 1;

	if (b->n - 1 + n > MAX_STMTS)
		return false;
	memmove(&b->stmts[at + n], &b->stmts[at + 1], (size_t)after * sizeof(*b->stmts));
	if (n)
		memcpy(&b->stmts[at], by->stmts, (size_t)n * sizeof(*b->stmts));
	b->n += n - 1;
	return true;
}

static bool try_replace(struct block *b, int at, const struct block *by, bool (*same)(void *),
			void *arg)
{
	struct block before = *b;

	if (replace_stmt(b, at, by) && same(arg))
		return true;
	*b = before;
	return false;
}

static bool shrink_stmt(struct block *b, int at, bool (*same)(void *), void *arg)
{
	const struct stmt s = b->stmts[at];

	return try_replace(b, at, NULL, same, arg) || (s.a && try_replace(b, at, s.a, same, arg)) ||
	       (s.b && try_replace(b, at, s.b, same, arg));
}

void shrink_program(struct program *p, bool (*same)(void *arg), void *arg)
{
	bool shrunk;
	int i, at;

	do {
		shrunk = false;
		for (i = 1; i < p->nr_blocks; i++)
			for (at = p->blocks[i].n - 1; at >= 0; at--)
				while (at < p->blocks[i].n &&
				       shrink_stmt(&p->blocks[i], at, same, arg))
					shrunk = true;
	} while (shrunk);
}
