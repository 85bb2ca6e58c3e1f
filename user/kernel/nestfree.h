/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does the kernel free the objects in a list or tree under a bpf_res_spin_lock when the map, the
 * element or the object that holds the list is freed? Linux 6.15 to 7.3 do not. The answer is read
 * from BTF: a test would make such a kernel warn, and a kernel may be set to panic on warnings.
 */
#ifndef RQSPIN_KERNEL_NESTFREE_H
#define RQSPIN_KERNEL_NESTFREE_H

struct btf;

enum nest_free { NEST_FREE_UNKNOWN, NEST_FREE_LEAKS, NEST_FREE_DONE };

enum nest_free nest_free_btf(const struct btf *btf);

/* Of the running kernel. */
enum nest_free nest_free_here(void);

#endif
