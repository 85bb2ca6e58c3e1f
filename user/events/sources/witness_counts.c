// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "events/sources/witness_counts.h"

#define TRIES 3 /* give up: failures come faster than counts are read */

void witness_counts_over(struct witness_counts *c, const struct witness_head *head,
			 const char *groups, size_t size)
{
	c->head = head;
	c->groups = groups;
	c->size = size;
	c->known = ~0ULL;
}

const struct witness_group *witness_counts_group(const struct witness_counts *c, __u32 nth)
{
	return (const void *)(c->groups + nth * c->size);
}

/* Only few groups are in use. The shorter a look, the likelier that no failure comes meanwhile. */
static void find_used(struct witness_counts *c)
{
	__u64 groups = __atomic_load_n(&c->head->groups, __ATOMIC_ACQUIRE);

	if (groups == c->known)
		return;
	c->known = groups;
	c->nr_used = 0;
	for (__u32 i = 0; i < WITNESS_GROUPS; i++)
		if (__atomic_load_n(&witness_counts_group(c, i)->key, __ATOMIC_RELAXED))
			c->used[c->nr_used++] = i;
}

static bool witness_counts_read(struct witness_counts *c, __u64 *head)
{
	__u64 sum;

	*head = __atomic_load_n(&c->head->head, __ATOMIC_ACQUIRE);
	if (!c->groups)
		return true;
	find_used(c);
	sum = __atomic_load_n(&c->head->others, __ATOMIC_RELAXED);
	for (__u32 i = 0; i < c->nr_used; i++) {
		const struct witness_group *g = witness_counts_group(c, c->used[i]);

		c->counts[c->used[i]] = __atomic_load_n(&g->count, __ATOMIC_RELAXED);
		sum += c->counts[c->used[i]];
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return sum == *head && __atomic_load_n(&c->head->head, __ATOMIC_RELAXED) == *head;
}

bool witness_counts_look(struct witness_counts *c, __u64 *head)
{
	for (int i = 0; i < TRIES; i++)
		if (witness_counts_read(c, head))
			return true;
	return false;
}

void witness_counts_saw(struct witness_counts *c, __u32 group)
{
	if (group && group <= WITNESS_GROUPS)
		c->seen[group - 1]++;
}

void witness_counts_settle(struct witness_counts *c, __u64 lost)
{
	c->all = lost;
	for (__u32 i = 0; i < c->nr_used; i++) {
		__u32 nth = c->used[i];

		c->lost[nth] = c->counts[nth] > c->seen[nth] ? c->counts[nth] - c->seen[nth] : 0;
	}
}
