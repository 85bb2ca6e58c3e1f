/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loaded programs and their maps, as far as the check needs them. They are read once and may be
 * unloaded then.
 */
#ifndef RQSPIN_CHECK_PROGS_H
#define RQSPIN_CHECK_PROGS_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "names/arenaname.h"

struct btf;
struct locktype;

/**
 * struct check_map - a map that programs refer to
 * @id: the kernel's number
 * @flags: BPF_F_*
 * @name: as its object has it, else the kernel's 15 characters
 * @sized: the object whose map got its size here; NULL: the map has its own size
 * @shared: where it is pinned, if its object pins it: one map for all objects with the same path
 * @pinned: id of the map that is pinned there now, or 0
 * @fixed: the map's bytes, if a program never sees them change; or NULL
 * @known: which of these bytes are known; NULL: all
 * @object: the file that declares it, for maps that a command may share between objects; or NULL
 * @arena: where the pages of an arena are
 * @alike: maps with the same number, if not 0, are taken for one map, as long as that is tried
 */
struct check_map {
	__u32 id, pinned, type, flags, key_size, value_size, max_entries;
	char *name, *shared, *sized;
	struct locktype *locks;
	struct arena arena;
	void *fixed;
	unsigned char *known;
	char *object;
	unsigned int alike;
};

/* Instructions refer to map id, but to map of when the programs run in their own loader. */
struct check_alias {
	__u32 id, of;
};

/**
 * struct check_assumed - an assumption under which a program or object was looked at
 * @kind: kind of the note
 * @object, @prog: what the note is about; @prog may be NULL
 */
struct check_assumed {
	const char *kind, *fix;
	char *object, *prog, *text;
};

/**
 * struct check_prog - a program to look at
 * @object: the file that it comes from; NULL: it was in the kernel
 * @section: SEC() of it; "" if not known
 * @attach: what it is attached to, if the kernel says so, or ""
 * @arena: number of the map that is its arena, if it exchanges words in one; or -1
 * @unread_maps: instructions that refer to maps that could not be read; @map_error: why
 * @unreadable: why its instructions cannot be looked at, or NULL
 */
struct check_prog {
	__u32 id, type, expected_attach;
	char *name, *object, *section;
	char attach[64];
	const char *unreadable;
	int arena;
	unsigned int unread_maps;
	int map_error;
	struct bpf_insn *insns;
	__u32 nr_insns;
	struct bpf_line_info *lines;
	__u32 nr_lines;
	struct bpf_func_info *funcs;
	__u32 nr_funcs;
	struct btf *btf;
};

/* loaded: some programs were in the kernel already, where many maps have one name. */
struct check_set {
	bool loaded;
	struct check_prog *progs;
	size_t nr_progs;
	struct check_map *maps;
	size_t nr_maps;
	struct check_alias *aliases;
	size_t nr_aliases;
	struct check_assumed *assumed;
	size_t nr_assumed;
};

/* Add the program behind the descriptor. object, section: copied, may be NULL. 0 or -errno. */
int check_add_prog(struct check_set *set, int fd, const char *object, const char *section);

/* Number of the map with this id in the set, which is read if it is new; -errno. */
int check_add_map(struct check_set *set, __u32 id);

/*
 * Set what is only known from the map's object: shared and sized as above, copied. Call it before
 * the object's programs are added. Maps with one pin path are one map in the set.
 */
void check_name_map(struct check_set *set, __u32 id, const char *name, const char *shared,
		    const char *sized);

/* The map is declared by this object; its loader may give it to other objects, too. */
void check_own_map(struct check_set *set, __u32 id, const char *object);

/* Let instructions with id mean map of. Call it before programs are added. 0 or -ENOMEM. */
int check_alias_map(struct check_set *set, __u32 id, __u32 of);

/* The number of the map that id stands for. */
__u32 check_real_map(const struct check_set *set, __u32 id);

/*
 * Set the bytes of a map whose one element programs only read. Takes fixed and known, as in
 * struct check_map.
 */
void check_fix_map(struct check_set *set, __u32 id, void *fixed, unsigned char *known);

/* text: copied; kind, fix: constants. 0 or -ENOMEM. */
int check_assume(struct check_set *set, const char *kind, const char *object, const char *prog,
		 const char *text, const char *fix);

/* Are the two one map on a running system? */
bool check_same_map(const struct check_map *a, const struct check_map *b);

void check_free(struct check_set *set);

/**
 * struct check_line - where an instruction comes from
 * @file: path as given to the compiler; NULL: not known
 */
struct check_line {
	const char *file, *text;
	__u32 line, column;
};

void check_line(const struct check_prog *prog, __u32 pc, struct check_line *line);

/* The function that the instruction is in, or NULL. */
const char *check_function(const struct check_prog *prog, __u32 pc);

#endif
