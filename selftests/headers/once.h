/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef HEADERS_ONCE_H
#define HEADERS_ONCE_H

#include <linux/types.h>

/* One run of a tc program; its return value, or -1000 - errno if it could not run. */
int run_once(int prog_fd, __u32 repeat);

#endif
