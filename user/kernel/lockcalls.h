/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a loaded program call the kernel's lock functions? Its instructions tell. */
#ifndef RQSPIN_KERNEL_LOCKCALLS_H
#define RQSPIN_KERNEL_LOCKCALLS_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* To be called before programs are watched: asks by loading one that makes the four calls. */
void lockcalls_learn(void);

/*
 * id: the program's, xlated_len: from its bpf_prog_info. The one that asked is not counted. Where
 * instructions cannot be read: true.
 */
bool lockcalls_in(int prog_fd, __u32 id, __u32 xlated_len);

/* Distinct kernel functions called, as the numbers that the kernel put there. Returns how many. */
size_t lockcalls_read(const struct bpf_insn *insns, size_t nr, __s32 *calls, size_t room);

#endif
