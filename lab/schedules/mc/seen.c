// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>

#include "seen.h"

#define FIRST_SLOTS (1ULL << 16)

static uint64_t *slots;
static uint64_t nslots, used, limit;

static uint64_t *new_slots(uint64_t n)
{
	uint64_t *s = calloc(n, sizeof(*s));

	if (!s) {
		fprintf(stderr, "mc: no memory for %llu states: give a lower --states\n",
			(unsigned long long)n);
		exit(1);
	}
	return s;
}

void seen_init(uint64_t max)
{
	free(slots);
	nslots = FIRST_SLOTS;
	slots = new_slots(nslots);
	used = 0;
	limit = max;
}

static uint64_t slot_find(uint64_t hash)
{
	uint64_t i = hash & (nslots - 1);

	while (slots[i] && slots[i] != hash)
		i = (i + 1) & (nslots - 1);
	return i;
}

static void seen_grow(void)
{
	uint64_t *old = slots, n = nslots, i;

	nslots *= 2;
	slots = new_slots(nslots);
	for (i = 0; i < n; i++) {
		if (old[i])
			slots[slot_find(old[i])] = old[i];
	}
	free(old);
}

bool seen_add(uint64_t hash)
{
	uint64_t i = slot_find(hash);

	if (slots[i])
		return false;
	slots[i] = hash;
	if (++used > nslots / 2)
		seen_grow();
	return true;
}

bool seen_full(void)
{
	return used >= limit;
}
