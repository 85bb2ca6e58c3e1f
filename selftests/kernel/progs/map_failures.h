/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by map_failures.bpf.c and the C that drives it. */
#ifndef RQSPIN_MAP_FAILURES_H
#define RQSPIN_MAP_FAILURES_H

/* A word that is written with the lock held, and the lock that is wanted then. */
enum place {
	AT_HASH,
	AT_HASH_CPU,
	AT_LRU_BUCKET,
	AT_LRU_LIST,
	AT_LRU_DELETE,
	AT_LRU_CPU,
	AT_LPM,
	AT_OUTPUT,
	AT_RESERVE,
	AT_DYNPTR,
	AT_QUEUE,
	AT_STACK,
	AT_FREE_LIST,
	AT_STACKID,
	AT_BATCH,
	AT_BATCH_LRU,
	AT_REPLACE,
	AT_OTHER_HASH,
	NR_PLACES,
};

#define LRU_ELEMS   64
#define FREE_ELEMS  1024
#define STACKS	    2
#define BATCH_SIZE  16
#define BATCH_ELEMS 8 /* of which with a seed of 0 the last bucket has one */

struct place_addr {
	unsigned long long word, lock;
	unsigned int word_len, map_id;
};

#endif
