// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's own timers of CPU time (setitimer(), RLIMIT_CPU) may wait until a system call is
 * over. So a thread looks at the clock.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

#include "base/cputime.h"

#define AGAIN_S 0.02 /* whoever was interrupted may try again */

static void cputime_interrupt(int sig)
{
	(void)sig;
}

static double cputime_of(clockid_t clock)
{
	struct timespec t = {};

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* True: it has ended. */
static bool cputime_wait(struct cputime *c, double seconds)
{
	double at = cputime_of(CLOCK_REALTIME) + seconds;
	struct timespec until = { .tv_sec = floor(at), .tv_nsec = (at - floor(at)) * 1e9 };
	int err;

	do
		err = sem_timedwait(&c->end, &until);
	while (err && errno == EINTR);
	return !err;
}

/* As long as nothing is used up by waiting, the limit is not reached before that time. */
static void *cputime_watch(void *arg)
{
	struct cputime *c = arg;
	double left;

	while (!cputime_wait(c, fmax(c->over ? 0 : c->until - cputime_of(c->clock), AGAIN_S))) {
		left = c->until - cputime_of(c->clock);
		if (left > 0)
			continue;
		c->over = true;
		pthread_kill(c->watched, SIGUSR2);
	}
	return NULL;
}

void cputime_begin(struct cputime *c, double seconds)
{
	struct sigaction action = { .sa_handler = cputime_interrupt };

	*c = (struct cputime){ .watched = pthread_self() };
	sigemptyset(&action.sa_mask);
	if (pthread_getcpuclockid(c->watched, &c->clock) || sem_init(&c->end, 0, 0) ||
	    sigaction(SIGUSR2, &action, NULL))
		return;
	c->until = cputime_of(c->clock) + seconds;
	c->running = !pthread_create(&c->watcher, NULL, cputime_watch, c);
}

bool cputime_end(struct cputime *c)
{
	if (!c->running)
		return false;
	sem_post(&c->end);
	pthread_join(c->watcher, NULL);
	sem_destroy(&c->end);
	signal(SIGUSR2, SIG_DFL);
	return c->over;
}
