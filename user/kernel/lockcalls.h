/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds out from a loaded program's instructions if it calls the kernel's lock functions. */
#ifndef RQSPIN_KERNEL_LOCKCALLS_H
#define RQSPIN_KERNEL_LOCKCALLS_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * To be called before programs are watched: loads a program that makes the four calls, and reads
 * what they look like.
 */
void lockcalls_learn(void);

/*
 * Does the program call a lock function? id and xlated_len: from its bpf_prog_info. False for the
 * program that lockcalls_learn() loaded. True if that is unknown: instructions cannot be read, or
 * have too many calls.
 */
bool lockcalls_in(int prog_fd, __u32 id, __u32 xlated_len);

/*
 * The distinct kernel functions that the instructions call, as the numbers that the kernel put
 * there. Returns how many.
 */
size_t lockcalls_read(const struct bpf_insn *insns, size_t nr, __s32 *calls, size_t room);

#endif
