// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <signal.h>
#include <stddef.h>

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
	/* A record that waits for room in a pipe is written to its end, whatever arrives. */
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
