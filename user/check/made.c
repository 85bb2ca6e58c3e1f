// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "check/made.h"

static bool set_grow(struct made_set *set, size_t word)
{
	size_t room = word * 2 + 16;
	__u64 *bits = realloc(set->bits, room * sizeof(*bits));

	if (!bits)
		return false;
	memset(bits + set->nr_words, 0, (room - set->nr_words) * sizeof(*bits));
	set->bits = bits;
	set->nr_words = room;
	return true;
}

static bool set_has(const struct made_set *set, __u32 n)
{
	return n / 64 < set->nr_words && set->bits[n / 64] >> n % 64 & 1;
}

static bool set_add(struct made_set *set, __u32 n)
{
	if (set_has(set, n))
		return true;
	if (n / 64 >= set->nr_words && !set_grow(set, n / 64))
		return false;
	set->bits[n / 64] |= 1ULL << n % 64;
	set->nr++;
	return true;
}

void made_add_sym(struct made *m, sym_t s)
{
	m->nomem |= !set_add(&m->syms, s);
}

void made_add_origin(struct made *m, __u32 origin)
{
	m->nomem |= !set_add(&m->origins, origin);
}

bool made_has_origin(const struct made *m, __u32 origin)
{
	return set_has(&m->origins, origin);
}

static bool is_in(const void *set, sym_t s)
{
	return set_has(set, s);
}

bool made_depends(const struct made *m, const struct syms *syms, sym_t s)
{
	return m->syms.nr && sym_depends_any(syms, s, is_in, &m->syms);
}

static bool set_join(struct made_set *set, const struct made_set *more)
{
	bool done = true;

	for (size_t i = 0; i < more->nr_words; i++)
		for (__u64 left = more->bits[i]; left; left &= left - 1)
			done &= set_add(set, i * 64 + __builtin_ctzll(left));
	return done;
}

void made_add_all(struct made *m, const struct made *more)
{
	m->nomem |= !set_join(&m->syms, &more->syms) || !set_join(&m->origins, &more->origins);
}

size_t made_count(const struct made *m)
{
	return m->syms.nr + m->origins.nr;
}

void made_free(struct made *m)
{
	free(m->syms.bits);
	free(m->origins.bits);
	memset(m, 0, sizeof(*m));
}
