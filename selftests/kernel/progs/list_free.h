/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a list or tree is freed: list_free.bpf.c and prog_tests/list_free.c. */
#ifndef RQSPIN_TEST_LIST_FREE_H
#define RQSPIN_TEST_LIST_FREE_H

enum list_free_way {
	LIST_FREE_ARRAY,
	LIST_FREE_HASH,
	LIST_FREE_ALLOC,
	LIST_FREE_IN_ARRAY,
	LIST_FREE_DROPPED,
	LIST_FREE_IN_LRU,
	LIST_FREE_IN_TASK,
};

/* One object each: in a list or a tree, under one lock or the other. */
enum list_free_slot {
	LIST_FREE_RES_LIST,
	LIST_FREE_RES_TREE,
	LIST_FREE_PLAIN_LIST,
	LIST_FREE_PLAIN_TREE,
	LIST_FREE_SLOTS
};

#endif
