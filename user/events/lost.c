// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "events/failure.h"
#include "events/join.h"
#include "events/lineup.h"
#include "events/lost.h"

/* The failure whose report was lost has been seen, or is counted by another source. */
static bool counted_elsewhere(const struct lineup *l, const struct source *src)
{
	return source_is(src, SOURCE_REPORTS) && lineup_has(l, SOURCE_WHOLE);
}

/* Another source counts all failures but those in locks that the kernel was not asked for. */
static bool counts_unasked_only(const struct lineup *l, const struct source *src)
{
	return source_is(src, SOURCE_SELF_REPORTS) && lineup_counts_all(l);
}

/* A lost report is not a lost failure if the program reported the failure as well. */
static __u64 lost_by(const struct lineup *l, const struct join *j, int i, bool *unknown)
{
	const struct source *src = l->sources[i];
	__u64 n, alone;

	if (counted_elsewhere(l, src) || source_is(src, SOURCE_WAITS))
		return 0;
	if (counts_unasked_only(l, src))
		return src->lost_unasked(l->states[i], unknown);
	n = src->lost(l->states[i], unknown);
	alone = source_is(src, SOURCE_REPORTS | SOURCE_WHOLE) ? join_alone(j) : 0;
	return n - (n < alone ? n : alone);
}

__u64 lost_waits(const struct lineup *l, bool *unknown)
{
	__u64 nr = 0;

	for (int i = 0; i < l->nr; i++)
		if (source_is(l->sources[i], SOURCE_WAITS))
			nr += l->sources[i]->lost(l->states[i], unknown);
	return nr;
}

__u64 lost_count(const struct lineup *l, const struct join *j, bool *unknown)
{
	__u64 nr = join_lost(j);

	for (int i = 0; i < l->nr; i++)
		nr += lost_by(l, j, i, unknown);
	return nr;
}

/**
 * struct losing - one source's losses, while they are handed out
 * @j: has the failures that only their programs reported
 * @src: the source
 * @unasked: only its failures in locks that the kernel was not asked for count
 * @left: losses that have not been handed out yet
 * @fn: gets them
 * @ctx: its argument
 */
struct losing {
	struct join *j;
	const struct source *src;
	bool unasked;
	__u64 left;
	loss_fn fn;
	void *ctx;
};

static void on_loss(const struct failure *like, __u64 nr, void *ctx)
{
	struct losing *l = ctx;

	if (l->unasked && !like->unasked)
		return;
	if (source_is(l->src, SOURCE_REPORTS | SOURCE_WHOLE))
		nr -= join_alone_take(l->j, like, nr);
	nr = nr < l->left ? nr : l->left;
	l->left -= nr;
	if (nr)
		l->fn(like, nr, l->ctx);
}

void lost_each(const struct lineup *l, struct join *j, loss_fn fn, void *ctx)
{
	__u64 others = join_lost(j);

	for (int i = 0; i < l->nr; i++) {
		const struct source *src = l->sources[i];
		struct losing losing = { j, src, counts_unasked_only(l, src), 0, fn, ctx };
		bool unknown = false;

		join_alone_put_back(j);
		losing.left = lost_by(l, j, i, &unknown);
		if (losing.left && src->losses)
			src->losses(l->states[i], on_loss, &losing);
		others += losing.left;
	}
	if (others)
		fn(NULL, others, ctx);
}
