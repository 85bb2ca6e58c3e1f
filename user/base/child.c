// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fds.h"

/*
 * The command gets the default action for signals that only rqspin ignores. Signals that the user
 * ignores or blocks (nohup) stay so.
 */
static int set_signals(posix_spawnattr_t *attr)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	posix_spawnattr_setsigdefault(attr, &ours);
	return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF);
}

/*
 * Starts the command with the user's limit of open files: it may close, or use select() on, all
 * descriptors below the limit.
 */
static int child_spawn(pid_t *pid, char *const argv[], const posix_spawnattr_t *attr, int out)
{
	posix_spawn_file_actions_t files;
	int err = posix_spawn_file_actions_init(&files);

	if (err)
		return err;
	if (out != STDOUT_FILENO)
		err = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	fds_restore();
	err = err ? err : posix_spawnp(pid, argv[0], &files, attr, argv, environ);
	fds_raise();
	posix_spawn_file_actions_destroy(&files);
	return err;
}

int child_start(struct child *c, char *const argv[], int out)
{
	posix_spawnattr_t attr;
	int err;

	*c = (struct child){ 0 };
	err = posix_spawnattr_init(&attr);
	if (err)
		return -err;
	err = set_signals(&attr);
	if (!err)
		err = child_spawn(&c->pid, argv, &attr, out);
	posix_spawnattr_destroy(&attr);
	if (err)
		c->pid = 0;
	return -err;
}

static void set_ended(struct child *c, int status)
{
	c->ended = true;
	c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool child_ended(struct child *c)
{
	int status;

	if (!c->pid || c->ended)
		return true;
	if (waitpid(c->pid, &status, WNOHANG) != c->pid)
		return false;
	set_ended(c, status);
	return true;
}

int child_wait(struct child *c)
{
	int status;

	while (!c->ended) {
		if (waitpid(c->pid, &status, 0) == c->pid)
			set_ended(c, status);
		else if (errno != EINTR)
			return -errno;
	}
	return c->status;
}

void child_signal(const struct child *c, int sig)
{
	if (c->pid && !c->ended)
		kill(c->pid, sig);
}
