// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Scripts: what a CPU or an interrupt does.
 *
 * A..F acquire a lock, a..f release it if it was acquired, . a step inside the critical section,
 * ~ stop for two seconds, _ stop for 100 ms, ! stop for 1 ms: until everybody else waits.
 */
#include <string.h>

#include "mc.h"

#define LONG_STALL  (2000 * MC_NS_PER_MS)
#define SHORT_STALL (100 * MC_NS_PER_MS)
#define PAUSE	    MC_NS_PER_MS

static void acquire(int lock)
{
	struct mc_ctx *ctx = mc_ctx();
	int ret;

	mc_observe();
	mc_attempt(lock);
	ret = mc_lock_acquire(lock);
	mc_observe();
	mc_attempt_over(lock, ret);
	if (!ret)
		ctx->holds |= 1U << lock;
}

static void release(int lock)
{
	struct mc_ctx *ctx = mc_ctx();

	if (!(ctx->holds & 1U << lock))
		return;
	mc_observe();
	ctx->holds &= ~(1U << lock);
	ctx->releasing = lock;
	mc.inside[lock] = -1;
	mc_note(MC_NOTE_UNLOCK, NULL, lock, 0);
	mc_lock_release(lock);
	mc_observe();
	ctx->releasing = -1;
}

static void step(char c)
{
	if (c >= 'A' && c < 'A' + MC_LOCKS)
		acquire(c - 'A');
	else if (c >= 'a' && c < 'a' + MC_LOCKS)
		release(c - 'a');
	else if (c == '.')
		mc_point();
	else
		mc_stall(c == '~' ? LONG_STALL : c == '_' ? SHORT_STALL : PAUSE);
}

void mc_run_script(const char *script)
{
	for (; *script; script++)
		step(*script);
}

/* Every lock that is taken is released later, and nothing else is said. */
bool mc_check_script(const char *script)
{
	const char *c;

	for (c = script; *c; c++) {
		if (*c >= 'A' && *c < 'A' + MC_LOCKS) {
			if (!strchr(c, *c - 'A' + 'a'))
				return false;
		} else if (!(*c >= 'a' && *c < 'a' + MC_LOCKS) && !strchr("._~!", *c)) {
			return false;
		}
	}
	return true;
}
