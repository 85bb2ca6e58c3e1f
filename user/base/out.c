// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/out.h"

static bool reader_gone(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR);
}

int out_flush(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (errno)
		return -errno;
	/* It failed when a buffer was full; nobody kept the reason. */
	return reader_gone() ? -EPIPE : -EIO;
}

int out_state(void)
{
	return ferror(stdout) ? out_flush() : 0;
}

int out_failed(int err)
{
	if (!err)
		return 0;
	__fpurge(stdout);
	clearerr(stdout);
	if (err == -EPIPE)
		return 0;
	pr_err("standard output: %s", strerror(-err));
	return err;
}
