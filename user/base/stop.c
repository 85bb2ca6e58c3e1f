// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "base/stop.h"

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

bool stop_hangup_ignored(void)
{
	struct sigaction sa;

	return !sigaction(SIGHUP, NULL, &sa) && sa.sa_handler == SIG_IGN;
}

void stop_init(void)
{
	/* A record that waits for room in a pipe is written to its end, whatever signal arrives. */
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (!stop_hangup_ignored())
		sigaction(SIGHUP, &sa, NULL);
	/* A reader that went away is seen as EPIPE, so that everything is taken down in order. */
	signal(SIGPIPE, SIG_IGN);
}

bool stop_asked(void)
{
	return asked;
}

void stop_pause(uint64_t ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	sigset_t ends, old;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	/* A signal that comes after the check of asked stays pending until ppoll() lets it in. */
	sigprocmask(SIG_BLOCK, &ends, &old);
	if (!asked)
		ppoll(NULL, 0, &ts, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}
