/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BTF of a kernel that need not be the running one. */
#ifndef RQSPIN_KERNEL_BTFFILE_H
#define RQSPIN_KERNEL_BTFFILE_H

#define BTFFILE_OWN "/sys/kernel/btf/vmlinux"

struct btf;

/* Reads a copy of that file, or a vmlinux. NULL: an error was printed, which names option --btf. */
struct btf *btffile_read(const char *path);

#endif
