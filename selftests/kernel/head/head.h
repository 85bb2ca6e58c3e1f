/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parties, each on a CPU of its own: head.bpf.c and head.c. */
#ifndef RQSPIN_TEST_HEAD_H
#define RQSPIN_TEST_HEAD_H

enum head_party {
	HEAD_DRIVER,
	HEAD_OWNER,
	HEAD_NEXT, /* waits with the pending bit */
	HEAD_FIRST,
	HEAD_BEHIND, /* in the scheduler */
	HEAD_PARTIES
};

#endif
