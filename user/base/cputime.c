// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's own timers of CPU time (setitimer(), RLIMIT_CPU) may wait until a system call is
 * over. So a thread watches the clock.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/cputime.h"
#include "base/log.h"

#define AGAIN_S 0.02 /* the interrupted call may be tried again */

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

/* True: cputime_end() was called. */
static bool cputime_wait(struct cputime *c, double seconds)
{
	double at = cputime_of(CLOCK_MONOTONIC) + seconds;
	struct timespec until = { .tv_sec = floor(at), .tv_nsec = (at - floor(at)) * 1e9 };
	int err;

	do
		err = sem_clockwait(&c->end, CLOCK_MONOTONIC, &until);
	while (err && errno == EINTR);
	return !err;
}

/*
 * CPU time runs no faster than the wall clock. So the watched thread cannot reach the limit before
 * the remaining time has passed.
 */
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

/* The process that started us may have blocked or ignored the signal. */
static void cputime_listen(struct cputime *c)
{
	struct sigaction action = { .sa_handler = cputime_interrupt };
	sigset_t usr2;

	sigemptyset(&action.sa_mask);
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigaction(SIGUSR2, &action, &c->before);
	pthread_sigmask(SIG_UNBLOCK, &usr2, &c->blocked);
}

/*
 * The watcher's last signal has been handled: the handler runs before the watched thread goes on.
 */
static void cputime_unlisten(struct cputime *c)
{
	pthread_sigmask(SIG_SETMASK, &c->blocked, NULL);
	sigaction(SIGUSR2, &c->before, NULL);
	sem_destroy(&c->end);
}

void cputime_begin(struct cputime *c, double seconds)
{
	int err;

	*c = (struct cputime){ .watched = pthread_self() };
	if (!seconds)
		return;
	sem_init(&c->end, 0, 0);
	err = pthread_getcpuclockid(c->watched, &c->clock);
	c->until = err ? 0 : cputime_of(c->clock) + seconds;
	cputime_listen(c);
	err = err ?: pthread_create(&c->watcher, NULL, cputime_watch, c);
	c->running = !err;
	if (!err)
		return;
	pr_warn("there is no limit of %g s of CPU time: %s", seconds, strerror(err));
	cputime_unlisten(c);
}

bool cputime_end(struct cputime *c)
{
	if (!c->running)
		return false;
	sem_post(&c->end);
	pthread_join(c->watcher, NULL);
	cputime_unlisten(c);
	return c->over;
}
