/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The limit of open files. */
#ifndef RQSPIN_BASE_FDS_H
#define RQSPIN_BASE_FDS_H

#include <stdbool.h>

void fds_raise(void);	/* as far as this user is allowed to */
void fds_restore(void); /* as it was before fds_raise(); files that are open stay open */
unsigned long fds_limit(void);

/* Can this many more files be opened? If not, prints an error. */
bool fds_left(unsigned int nr);

#endif
