// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Scripts: what a CPU or an interrupt does.
 *
 * A..F acquire a lock, a..f release it if it was acquired, . a step inside the critical section,
 * ~ stop for 2 s, = for 400 ms, _ for 100 ms, ! for 1 ms: until everybody else waits.
 */
#include <string.h>

#include "mc.h"

static uint64_t stall_ms(char c)
{
	switch (c) {
	case '~':
		return 2000;
	case '=':
		return 400;
	case '_':
		return 100;
	}
	return 1;
}

static void client_acquire(int lock)
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

static void client_release(int lock)
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

static void client_step(char c)
{
	if (c >= 'A' && c < 'A' + MC_LOCKS)
		client_acquire(c - 'A');
	else if (c >= 'a' && c < 'a' + MC_LOCKS)
		client_release(c - 'a');
	else if (c == '.')
		mc_point();
	else
		mc_stall(stall_ms(c) * MC_NS_PER_MS);
}

void mc_run_script(const char *script)
{
	for (; *script; script++)
		client_step(*script);
}

/* Is every acquired lock released later, and is every character known? */
bool mc_check_script(const char *script)
{
	const char *c;

	for (c = script; *c; c++) {
		if (*c >= 'A' && *c < 'A' + MC_LOCKS) {
			if (!strchr(c, *c - 'A' + 'a'))
				return false;
		} else if (!(*c >= 'a' && *c < 'a' + MC_LOCKS) && !strchr("._=~!", *c)) {
			return false;
		}
	}
	return true;
}
