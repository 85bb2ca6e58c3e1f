/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What /proc says of a thread of which only the id is known. */
#ifndef RQSPIN_BASE_TASK_H
#define RQSPIN_BASE_TASK_H

#include <linux/types.h>
#include <stdbool.h>

#define TASK_COMM 16

/* The kernel's ids are those of the first PID namespace: in another one they name somebody else. */
bool task_ids_known(void);

/* Its process, and its name unless comm is NULL, as they are now. -ESRCH: it is gone. */
int task_find(__u32 tid, __u32 *pid, char comm[TASK_COMM]);

#endif
