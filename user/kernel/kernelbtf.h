/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The running kernel's BTF. Reading it takes longer than most of a command's work with it. */
#ifndef RQSPIN_KERNEL_KERNELBTF_H
#define RQSPIN_KERNEL_KERNELBTF_H

struct btf;

/*
 * Read once, and kept until the process ends: do not free it. NULL and errno: the kernel has none,
 * or there is no memory.
 */
const struct btf *kernelbtf_get(void);

#endif
