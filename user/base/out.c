// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/out.h"

static const char *out_path;		 /* NULL: standard output */
static bool out_regular;		 /* it can be emptied */
static int out_original = STDOUT_FILENO; /* standard output when we were started */

void out_init(void)
{
	signal(SIGXFSZ, SIG_IGN);
}

/*
 * The user may want a device or a pipe, but a link may be somebody else's. Opening a pipe that
 * nobody reads must not block. Two writers of one file would overwrite each other's lines.
 */
static int file_open(const char *path)
{
	int fd =
		open(path,
		     O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC | O_NONBLOCK,
		     0666);
	struct stat st;

	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	out_regular = !fstat(fd, &st) && S_ISREG(st.st_mode);
	if (out_regular && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(fd);
		return -EWOULDBLOCK;
	}
	return fd;
}

int out_to_file(const char *path)
{
	int fd = file_open(path);
	int err = 0;

	if (fd < 0)
		return fd;
	out_original = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (out_original < 0 || dup2(fd, STDOUT_FILENO) < 0)
		err = -errno;
	else
		out_path = path;
	close(fd);
	return err;
}

int out_empty_file(void)
{
	return out_regular && ftruncate(STDOUT_FILENO, 0) ? -errno : 0;
}

const char *out_name(void)
{
	return out_path ?: "standard output";
}

int out_stdout(void)
{
	return out_original;
}

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
	/* An earlier write of a full buffer failed, and its errno is lost. */
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
	pr_err("%s: %s%s", out_name(), strerror(-err),
	       err == -EFBIG ? ": raise the limit (ulimit -f)" : "");
	return err;
}
