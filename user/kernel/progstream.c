// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/types.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/progstream.h"

ssize_t progstream_read(int prog_fd, enum progstream which, void *buf, size_t size)
{
	struct {
		__u64 buf;
		__u32 size, stream, prog_fd;
		__u32 end; /* the kernel refuses non-zero bytes behind the fields that it knows */
	} attr = { (uintptr_t)buf, size, which, prog_fd, 0 };
	ssize_t n = syscall(SYS_bpf, PROGSTREAM_COMMAND, &attr, sizeof(attr));

	return n < 0 ? -errno : n;
}
