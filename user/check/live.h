/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where paths meet, and which registers still matter there. */
#ifndef RQSPIN_CHECK_LIVE_H
#define RQSPIN_CHECK_LIVE_H

#include <linux/types.h>

struct check_prog;

#define LIVE_MEET 0x8000 /* several paths lead here */

/* For each instruction the registers that are read before they are written. NULL: no memory. */
__u16 *live_find(const struct check_prog *prog);

/* Where a jump goes; the jump must be one. */
__u32 live_target(const struct check_prog *prog, __u32 pc);

/* First instruction of the function that is called, or ~0. */
__u32 live_callee(const struct check_prog *prog, __u32 pc);

#endif
