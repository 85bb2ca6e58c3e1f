/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where an arena is, and what its author called a place in it. Addresses are those of user space:
 * a program's pointers have them, too, of which the kernel uses the lower 32 bits.
 */
#ifndef RQSPIN_NAMES_ARENANAME_H
#define RQSPIN_NAMES_ARENANAME_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define ARENA_MAP_TYPE 33 /* BPF_MAP_TYPE_ARENA, since Linux 6.9 */

struct bpf_insn;
struct btf;

struct arena {
	__u64 start, size; /* start 0: not known */
};

/* Ask the kernel where the map's pages are. 0; -ENOENT: it does not tell, or nobody mapped them. */
int arenaname_find(__u32 map_id, struct arena *arena);

/* Is the address, or the lower half of one, in the arena? Then where. */
bool arenaname_offset(const struct arena *arena, __u64 addr, __u64 *off);

/* Numbers of a program that may be addresses in its arena, each once: all that is needed of them.
 */
#define ARENA_ADDRS 16

struct arena_addrs {
	__u32 nr;
	__u64 addrs[ARENA_ADDRS];
};

void arenaname_addrs_read(struct arena_addrs *to, const struct bpf_insn *insns, size_t nr);

/* Of a loaded program; NULL if its author has no variables in an arena, or they cannot be read. */
struct arena_addrs *arenaname_addrs_of(int prog_fd, __u32 xlated_len, const struct btf *btf);

/*
 * The variable, and its field, at the offset; "" if it is none. The variables are at the beginning
 * or, with newer libraries, at the end: addresses in the program say which. btf: its own.
 */
void arenaname_path(const struct arena *arena, __u64 off, const struct btf *btf,
		    const struct arena_addrs *addrs, char *buf, size_t size);

#endif
