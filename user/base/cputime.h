/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A limit of CPU time for the kernel's work on our behalf: the verifier stops when a signal comes.
 */
#ifndef RQSPIN_BASE_CPUTIME_H
#define RQSPIN_BASE_CPUTIME_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>

/**
 * struct cputime - a limit that is being watched
 * @watched: the thread that has the limit
 * @watcher: the thread that watches it
 * @clock: CPU time of @watched
 * @until: the limit, in seconds of @clock
 * @end: posted to end @watcher
 * @running: @watcher runs
 * @over: the limit was reached
 * @before: what SIGUSR2 did before
 * @blocked: the signals that were blocked before
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
 * Once this thread has used so many seconds of CPU time from now on, all its system calls are
 * interrupted. 0: no limit. If the thread cannot be watched, there is a warning and no limit.
 */
void cputime_begin(struct cputime *c, double seconds);

/* Ends the limit. Was it reached? */
bool cputime_end(struct cputime *c);

#endif
