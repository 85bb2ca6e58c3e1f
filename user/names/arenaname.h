/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where an arena is, and the variable or field at a place in it. Addresses are those of user space.
 * A program's pointers have them, too, but the kernel uses only their lower 32 bits.
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

/*
 * Asks the kernel where the map's pages are. 0; -ENOENT: the place is unknown, or nobody has mapped
 * the arena.
 */
int arenaname_find(__u32 map_id, struct arena *arena);

/* Is the address, or the lower half of one, in the arena? Sets *off to its offset. */
bool arenaname_offset(const struct arena *arena, __u64 addr, __u64 *off);

/*
 * Constants of a program that may be addresses in its arena, each once. No other data of its
 * instructions is needed.
 */
#define ARENA_ADDRS 16

struct arena_addrs {
	__u32 nr;
	__u64 addrs[ARENA_ADDRS];
};

void arenaname_addrs_read(struct arena_addrs *to, const struct bpf_insn *insns, size_t nr);

/* The constants of a loaded program. NULL if it has no variables in an arena, or out of memory. */
struct arena_addrs *arenaname_addrs_of(int prog_fd, __u32 xlated_len, const struct btf *btf);

/*
 * The section of the arena's variables, by its id in btf, the program's own, and the offset where
 * it begins: that of the arena or, with newer libraries, before its end. addrs, the addresses in
 * the program, decide. False: there is none, or the program has no such address.
 */
bool arenaname_variables(const struct arena *arena, const struct btf *btf,
			 const struct arena_addrs *addrs, __u32 *section, __u64 *begin);

/* The path of the variable and field at the offset; "" if there is none. */
void arenaname_path(const struct arena *arena, __u64 off, const struct btf *btf,
		    const struct arena_addrs *addrs, char *buf, size_t size);

#endif
