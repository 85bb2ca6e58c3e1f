/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where maps keep values and locks in kernel memory, as mapaddr.bpf.c tells user space. */
#ifndef RQSPIN_MAPADDR_H
#define RQSPIN_MAPADDR_H

/**
 * enum mapaddr_part - what an address range of a map holds
 * @MAPADDR_VALUES: array of values, @stride apart
 * @MAPADDR_ELEMS: preallocated hash elements, @stride apart, key at @key_off, value at @value_off
 * @MAPADDR_BUCKETS: hash buckets, @stride apart, each with the map's own lock
 * @MAPADDR_SELF: the map object, whose locks are the map's own
 * @MAPADDR_RINGBUF: the ring buffer's control page
 * @MAPADDR_CPU_LISTS: each CPU's list of an LRU map; @base is a per-CPU pointer
 * @MAPADDR_FREE_LISTS: each CPU's free elements; @base is a per-CPU pointer
 * @MAPADDR_ARENA: pages of an arena, at their addresses in user space: those of programs' pointers
 * @MAPADDR_RULER: no map's locks: the per-CPU pointer whose addresses rqspin_measure() tells
 */
enum mapaddr_part {
	MAPADDR_VALUES,
	MAPADDR_ELEMS,
	MAPADDR_BUCKETS,
	MAPADDR_SELF,
	MAPADDR_RINGBUF,
	MAPADDR_CPU_LISTS,
	MAPADDR_FREE_LISTS,
	MAPADDR_ARENA,
	MAPADDR_RULER,
};

struct mapaddr {
	__u64 base;
	__u64 size;
	__u32 map_id;
	__u32 part;
	__u32 type;
	__u32 stride;
	__u32 key_off;
	__u32 key_size;
	__u32 value_off;
	__u32 value_size;
	__u32 sparse; /* MAPADDR_BUCKETS: elements are allocated one by one */
	char name[16];
	__u32 pad;
};

#endif
