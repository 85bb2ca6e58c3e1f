/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that we run for a task of ours, such as a compiler or a graph drawer. None of them
 * outlives us.
 */
#ifndef RQSPIN_BASE_HELPER_H
#define RQSPIN_BASE_HELPER_H

#include <limits.h>
#include <stdbool.h>

/**
 * struct helper - what to run, and how
 * @argv: arguments; the first is a path of helper_find()
 * @dir: open folder that it works in; 0: in ours
 * @in: open file that it reads; 0: nothing
 * @out: open file that it writes; 0: its output is thrown away
 * @quiet: its standard error is thrown away
 * @seconds: how long it may run
 */
struct helper {
	char *const *argv;
	int dir, in, out;
	bool quiet;
	double seconds;
};

/**
 * helper_run() - run a helper to its end
 * @h: the helper
 *
 * The helper has a process group of its own, a limit of memory, and no environment variables that
 * change what it does. It is killed when we end.
 *
 * Context: in the first thread of the process.
 *
 * Return: its exit status; -ETIMEDOUT or -EINTR: it was killed, since its time was over or Ctrl-C
 * was pressed; -EIO: a signal ended it; other -errno: it could not be started
 */
int helper_run(const struct helper *h);

/*
 * Finds the path of a program in the absolute folders of PATH. A name with a slash is a path
 * already.
 */
bool helper_find(const char *name, char path[PATH_MAX]);

#endif
