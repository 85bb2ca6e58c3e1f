// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <signal.h>

#include "stop.h"

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

void stop_init(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	/* A reader that went away is seen as EPIPE, so that everything is taken down in order. */
	signal(SIGPIPE, SIG_IGN);
}

bool stop_asked(void)
{
	return asked;
}
