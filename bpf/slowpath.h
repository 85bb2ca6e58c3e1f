/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's functions that wait for resilient locks: user space tells the programs. */
#ifndef RQSPIN_SLOWPATH_H
#define RQSPIN_SLOWPATH_H

#define SLOWPATHS	2
#define SLOWPATH_FRAMES 8 /* the waiting function is among the innermost ones */

/**
 * struct slowpath - the code of one of them
 * @start: its first byte, 0: this kernel has no such function
 * @end: the byte behind its last
 */
struct slowpath {
	__u64 start, end;
};

#endif
