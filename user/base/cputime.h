/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A limit for what the kernel does on our behalf: the verifier ends when a signal comes. */
#ifndef RQSPIN_BASE_CPUTIME_H
#define RQSPIN_BASE_CPUTIME_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>

/**
 * struct cputime - a limit that is being watched
 * @watched: the thread, and its @clock, which may go up to @until
 * @running: @watcher does
 * @over: it was reached
 * @before: what SIGUSR2 did, and what was @blocked, until now
 */
struct cputime {
	pthread_t watched, watcher;
	clockid_t clock;
	double until;
	sem_t end;
	bool running;
	volatile bool over;
	struct sigaction before;
	sigset_t blocked;
};

/*
 * When this thread has used so many seconds from now on, all its system calls are interrupted. 0:
 * there is no limit. Neither is there one, and a warning says so, if it cannot be watched.
 */
void cputime_begin(struct cputime *c, double seconds);

/* No longer. Was it too much? */
bool cputime_end(struct cputime *c);

#endif
