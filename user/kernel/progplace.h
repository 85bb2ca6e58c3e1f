/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the kernel keeps its list of loaded code. */
#ifndef RQSPIN_KERNEL_PROGPLACE_H
#define RQSPIN_KERNEL_PROGPLACE_H

#include <linux/types.h>

/* Address of the program's entry in that list, as long as it is loaded; 0: unknown. */
__u64 progplace_find(int prog_fd);

#endif
