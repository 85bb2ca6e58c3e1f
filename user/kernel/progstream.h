/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The streams that a kernel keeps for each program (Linux 6.17). */
#ifndef RQSPIN_KERNEL_PROGSTREAM_H
#define RQSPIN_KERNEL_PROGSTREAM_H

#include <sys/types.h>

#define PROGSTREAM_COMMAND 37 /* of bpf(2); older headers lack it */

enum progstream { PROGSTREAM_STDOUT = 1, PROGSTREAM_STDERR };

/* Reads text and removes it from the stream. Returns how many bytes, or -errno. */
ssize_t progstream_read(int prog_fd, enum progstream which, void *buf, size_t size);

#endif
