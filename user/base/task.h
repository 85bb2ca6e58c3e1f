/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Process and name of a thread, from /proc, by its id. */
#ifndef RQSPIN_BASE_TASK_H
#define RQSPIN_BASE_TASK_H

#include <linux/types.h>
#include <stdbool.h>

#define TASK_COMM 16

/*
 * False outside the initial PID namespace: the kernel's ids are of that one, and mean other tasks
 * here.
 */
bool task_ids_known(void);

/*
 * The thread's process and, unless comm is NULL, its name, as they are now. 0, or -ESRCH: the
 * thread is gone, or !task_ids_known().
 */
int task_find(__u32 tid, __u32 *pid, char comm[TASK_COMM]);

#endif
