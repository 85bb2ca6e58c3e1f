/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A command that the user names and that runs beside rqspin, as behind "rqspin trace --". */
#ifndef RQSPIN_BASE_CHILD_H
#define RQSPIN_BASE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - a command that was started
 * @pid: its process, 0 if there is none
 * @ended: it has been waited for
 * @status: as in a shell: the exit status, or 128 plus the number of the signal
 */
struct child {
	pid_t pid;
	bool ended;
	int status;
};

enum { CHILD_NOT_EXECUTABLE = 126, CHILD_NOT_FOUND = 127 }; /* as in a shell */

/*
 * Starts the command argv[0], which is looked for in PATH; its standard output is the descriptor
 * out. 0 or -errno: -ENOENT: there is none; -EACCES, -ENOEXEC: it cannot be run; -ENOMEM.
 */
int child_start(struct child *c, char *const argv[], int out);

/* Has the command ended? Does not wait. Also true if none was started. */
bool child_ended(struct child *c);

/* Waits for the command's end. Returns its status, as in struct child, or -errno. */
int child_wait(struct child *c);

/* Sends the command a signal, unless it has ended. */
void child_signal(const struct child *c, int sig);

#endif
