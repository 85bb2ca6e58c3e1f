/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes `struct lab_ops lab_ID` of LAB_ID, LAB_NAME, LAB_ABOUT (for help), LAB_FLAGS, LAB_INIT(l),
 * LAB_LOCK(l, c) (0 or an error) and LAB_UNLOCK(l, c). Included once for each lock, so it has no
 * guard.
 */
#define LAB_CAT2(a, b) a##_##b
#define LAB_CAT(a, b)  LAB_CAT2(a, b)
#define LAB_FN(name)   LAB_CAT(LAB_ID, name)

static void LAB_FN(init)(union lab_lock *l)
{
	memset(l, 0, sizeof(*l));
	LAB_INIT(l);
}

static int LAB_FN(lock)(union lab_lock *l, struct lab_ctx *c)
{
	(void)c;
	return LAB_LOCK(l, c);
}

static void LAB_FN(unlock)(union lab_lock *l, struct lab_ctx *c)
{
	(void)c;
	(void)l;
	LAB_UNLOCK(l, c);
}

/* Where another scheduler runs the lock there is no time to measure. */
#ifndef SHIM_EXTERN

#include "../threads/lib/runs.h"

static noinline __aligned(64) void LAB_FN(pairs)(union lab_lock *l, struct lab_ctx *c, u64 n)
{
	u64 failed = 0;

	(void)l;
	while (n--) {
		if (unlikely(LAB_LOCK(l, c))) {
			failed++;
			continue;
		}
		barrier();
		LAB_UNLOCK(l, c);
	}
	c->failed += failed;
}

static noinline __aligned(64) void LAB_FN(turns)(union lab_lock *locks, struct lab_ctx *c, u64 n)
{
	u64 failed = 0;

	while (n--) {
		union lab_lock *l = &locks[n % LAB_TURN];

		(void)l;
		if (unlikely(LAB_LOCK(l, c))) {
			failed++;
			continue;
		}
		barrier();
		LAB_UNLOCK(l, c);
	}
	c->failed += failed;
}

/* @n counts acquisitions. */
static noinline __aligned(64) void LAB_FN(nested)(union lab_lock *locks, struct lab_ctx *c, u64 n)
{
	u64 failed = 0;

	for (n /= 2; n--;) {
		union lab_lock *l = &locks[2 * n % LAB_TURN];

		(void)l;
		if (unlikely(LAB_LOCK(l, c))) {
			failed++;
			continue;
		}
		if (unlikely(LAB_LOCK(l + 1, c + 1))) {
			failed++;
		} else {
			barrier();
			LAB_UNLOCK(l + 1, c + 1);
		}
		LAB_UNLOCK(l, c);
	}
	c->failed += failed;
}

static noinline __aligned(64) void LAB_FN(contend)(union lab_lock *l, struct lab_ctx *c,
						   const struct lab_load *load)
{
	u64 ops = 0, failed = 0;
	u32 i;

	(void)l;
	do {
		if (unlikely(LAB_LOCK(l, c))) {
			failed++;
			continue;
		}
		load->shared->count++;
		for (i = 0; i < load->held; i++)
			cpu_relax();
		barrier();
		LAB_UNLOCK(l, c);
		ops++;
		for (i = 0; i < load->apart; i++)
			cpu_relax();
	} while (shim_cycles() < load->end);
	c->ops += ops;
	c->failed += failed;
}

/* The same with a note of who had the lock before: a loop of its own, as that costs some ns. */
static noinline __aligned(64) void LAB_FN(take_turns)(union lab_lock *l, struct lab_ctx *c,
						      const struct lab_load *load,
						      struct lab_runs *runs)
{
	struct lab_shared *shared = load->shared;
	bool again;
	u32 i;

	(void)l;
	do {
		if (unlikely(LAB_LOCK(l, c))) {
			c->failed++;
			continue;
		}
		shared->count++;
		again = shared->owner == c;
		shared->owner = c;
		for (i = 0; i < load->held; i++)
			cpu_relax();
		barrier();
		LAB_UNLOCK(l, c);
		c->ops++;
		lab_run_note(runs, again);
		for (i = 0; i < load->apart; i++)
			cpu_relax();
	} while (shim_cycles() < load->end);
	lab_run_end(runs);
}

#endif /* SHIM_EXTERN */

const struct lab_ops LAB_CAT(lab, LAB_ID) = {
	.name = LAB_NAME,
	.about = LAB_ABOUT,
	.flags = LAB_FLAGS,
	.init = LAB_FN(init),
	.lock = LAB_FN(lock),
	.unlock = LAB_FN(unlock),
#ifndef SHIM_EXTERN
	.pairs = LAB_FN(pairs),
	.turns = LAB_FN(turns),
	.nested = LAB_FN(nested),
	.contend = LAB_FN(contend),
	.take_turns = LAB_FN(take_turns),
#endif
};

#undef LAB_ID
#undef LAB_NAME
#undef LAB_ABOUT
#undef LAB_FLAGS
#undef LAB_INIT
#undef LAB_LOCK
#undef LAB_UNLOCK
#undef LAB_FN
#undef LAB_CAT
#undef LAB_CAT2
