/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A command of the user's that runs beside us. */
#ifndef RQSPIN_BASE_CHILD_H
#define RQSPIN_BASE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - a command that was started
 * @pid: its process, 0 if there is none
 * @ended: it has been waited for
 * @status: as a shell has it: exit status, or 128 and the number of the signal
 */
struct child {
	pid_t pid;
	bool ended;
	int status;
};

enum { CHILD_NOT_EXECUTABLE = 126, CHILD_NOT_FOUND = 127 }; /* as a shell has them */

/* Its standard output is out. 0 or -errno: no such command, not executable, no memory. */
int child_start(struct child *c, char *const argv[], int out);

/* Has it ended? Does not wait. True if none was started. */
bool child_ended(struct child *c);

/* Waits. Its status, or -errno. */
int child_wait(struct child *c);

void child_signal(const struct child *c, int sig);

#endif
