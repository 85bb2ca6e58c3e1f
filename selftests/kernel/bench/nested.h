/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by nested.bpf.c and nested.c: the cases, and the results of nested operations. */
#ifndef BENCH_NESTED_H
#define BENCH_NESTED_H

enum nested_case {
	CASE_HASH_SAME,	 /* hash map, the same bucket */
	CASE_HASH_OTHER, /* hash map, another bucket */
	CASE_HASH_CROSS, /* two hash maps in opposite order on two CPUs */
	CASE_LRU,	 /* LRU list, out of an eviction */
	CASE_LPM,	 /* LPM trie */
	CASE_QUEUE,
	CASE_STACK,
	CASE_RINGBUF,  /* bpf_ringbuf_output() */
	CASE_RESERVE,  /* bpf_ringbuf_reserve() */
	CASE_FREELIST, /* free list of a preallocated hash map */
	NR_CASES
};

struct nested_counts {
	__u64 ok, edeadlk, etimedout, ebusy, enomem, eagain, e2big, null, other;
};

#endif
