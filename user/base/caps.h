/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rights of root that are given up. */
#ifndef RQSPIN_BASE_CAPS_H
#define RQSPIN_BASE_CAPS_H

#include <linux/types.h>

#define CAPS_BIT(cap) (1ULL << (cap))

/*
 * Drops all capabilities but those in keep for good, also for programs that are started later,
 * set-user-ID programs included. 0 or -errno.
 */
int caps_keep(__u64 keep);

#endif
