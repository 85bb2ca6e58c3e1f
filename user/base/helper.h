/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that work for us: a compiler, a drawer of graphs. None of them outlives us. */
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
 * @quiet: what it says on standard error is thrown away
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
 * @h: which
 *
 * It has a process group of its own, a limit of memory, and an environment in which nothing changes
 * what it does; it is killed when we end.
 *
 * Context: in the first thread of the process.
 *
 * Return: its exit status; -ETIMEDOUT or -EINTR: it was killed, since its time was over or Ctrl-C
 * was pressed; -EIO: a signal ended it
 */
int helper_run(const struct helper *h);

/* Where a program is, in the absolute folders of PATH; a name with a slash is one already. */
bool helper_find(const char *name, char path[PATH_MAX]);

#endif
