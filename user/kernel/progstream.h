/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The error stream that a kernel keeps for each program (Linux 6.17). */
#ifndef RQSPIN_KERNEL_PROGSTREAM_H
#define RQSPIN_KERNEL_PROGSTREAM_H

#include <sys/types.h>

#define PROGSTREAM_COMMAND 37 /* of bpf(2); older headers lack it */

/* What is read is gone. Returns the number of bytes, or -1 and errno. */
ssize_t progstream_read(int prog_fd, char *buf, size_t size);

#endif
