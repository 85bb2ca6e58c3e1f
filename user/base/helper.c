// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fds.h"
#include "base/helper.h"
#include "base/stop.h"

#define MEMORY	(8ULL << 30) /* of address space */
#define OUTPUT	(256ULL << 20)
#define POLL_MS 100

extern char **environ;

bool helper_find(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH");

	if (strchr(name, '/'))
		return realpath(name, path) && !access(path, X_OK);
	for (const char *at = list ? list : "/usr/bin:/bin"; *at; at += *at == ':') {
		int len = strcspn(at, ":");

		/* A relative folder of PATH may be anybody's. */
		if (*at == '/' && snprintf(path, PATH_MAX, "%.*s/%s", len, at, name) < PATH_MAX &&
		    !access(path, X_OK))
			return true;
		at += len;
	}
	return false;
}

static bool is_kept(const char *variable)
{
	static const char *const kept[] = { "PATH=", "HOME=", "TMPDIR=", "LANG=", "LC_" };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (!strncmp(variable, kept[i], strlen(kept[i])))
			return true;
	return false;
}

/*
 * Other variables may change what a helper does: CPATH, CCC_OVERRIDE_OPTIONS, GVBINDIR, LD_PRELOAD.
 */
static char **clean_environment(void)
{
	size_t nr = 0, at = 0;
	char **clean;

	while (environ[nr])
		nr++;
	clean = calloc(nr + 1, sizeof(*clean));
	for (size_t i = 0; clean && i < nr; i++)
		if (is_kept(environ[i]))
			clean[at++] = environ[i];
	return clean;
}

static void limit_lower(int what, rlim_t most)
{
	struct rlimit lim;

	if (getrlimit(what, &lim) || lim.rlim_cur <= most)
		return;
	lim.rlim_cur = most;
	setrlimit(what, &lim);
}

static void set_limits(double seconds)
{
	fds_restore();
	limit_lower(RLIMIT_CORE, 0);
	limit_lower(RLIMIT_AS, MEMORY);
	limit_lower(RLIMIT_FSIZE, OUTPUT);
	/* For processes that the helper starts itself. */
	limit_lower(RLIMIT_CPU, (rlim_t)seconds + 1);
}

static int open_files(const struct helper *h)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(h->in ? h->in : null, STDIN_FILENO) < 0 ||
	    dup2(h->out ? h->out : null, STDOUT_FILENO) < 0 ||
	    (h->quiet && dup2(null, STDERR_FILENO) < 0))
		return -errno;
	return h->dir && fchdir(h->dir) ? -errno : 0;
}

static void helper_become(const struct helper *h, pid_t parent, char **environment)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have ended before prctl() took effect. */
	if (getppid() != parent || open_files(h))
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGTTOU, SIG_IGN);
	set_limits(h->seconds);
	syscall(SYS_close_range, 3U, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */);
	execve(h->argv[0], h->argv, environment);
	_exit(127);
}

static int end_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EIO;
}

/*
 * A pidfd reports the end of the process without a race. On old kernels without pidfds, waitid() is
 * polled.
 */
static bool has_ended(pid_t pid, int pidfd)
{
	struct pollfd fd = { .fd = pidfd, .events = POLLIN };
	siginfo_t info = { 0 };

	if (poll(&fd, 1, pidfd < 0 ? 1 : POLL_MS) > 0)
		return true;
	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

static int wait_for(pid_t pid, double seconds)
{
	double until = now_s() + seconds;
	int pidfd = syscall(SYS_pidfd_open, pid, 0), err = 0;

	while (!err && !has_ended(pid, pidfd))
		err = stop_asked() ? -EINTR : now_s() >= until ? -ETIMEDOUT : 0;
	if (err)
		kill(-pid, SIGKILL);
	if (pidfd >= 0)
		close(pidfd);
	return err ? (end_of(pid), err) : end_of(pid);
}

int helper_run(const struct helper *h)
{
	char **environment = clean_environment();
	pid_t parent = getpid(), pid;

	if (!environment)
		return -ENOMEM;
	pid = fork();
	if (!pid)
		helper_become(h, parent, environment);
	free(environment);
	if (pid < 0)
		return -errno;
	/* Also set here, or the group might not exist yet when it is to be killed. */
	setpgid(pid, pid);
	return wait_for(pid, h->seconds);
}
