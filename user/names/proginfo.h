/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of loaded BPF programs. All of it is read when a program is first seen, so that events of
 * programs that are gone can still be named.
 */
#ifndef RQSPIN_NAMES_PROGINFO_H
#define RQSPIN_NAMES_PROGINFO_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "names/progaddr.h"

struct arena_addrs;
struct btf;

struct proginfo {
	__u32 id;
	__u32 type;
	char name[16];	 /* as in the kernel: 15 characters */
	char *full_name; /* from BTF; else name */
	__u32 *map_ids;
	__u32 nr_map_ids;
	struct bpf_line_info *lines;
	__u32 nr_lines;
	struct progaddr code;
	struct arena_addrs *arena; /* NULL: it has no variables in an arena */
	struct btf *btf;	   /* NULL: no line information */
	bool own;		   /* of the tool itself, loaded by any process */
	bool locks;	/* it calls the kernel's lock functions, or it is unknown whether it does */
	__u64 born_ns;	/* it did not run before this; 0: unknown */
	__u64 gone_ns;	/* it did not run after this, perhaps a future time; 0: may be loaded */
	__u64 seen_ns;	/* last time it was certainly loaded */
	bool recalled;	/* it comes from proginfos_recall(): it was gone before */
	bool unread;	/* only the data of struct proginfo_brief is known */
	bool condemned; /* to be freed at the next sweep */
	unsigned int users;
	struct proginfo *next;
};

struct proginfos;

struct proginfos *proginfos_open(void);
void proginfos_close(struct proginfos *ps);

/*
 * Reads the programs loaded since the last call, and frees those that have been gone for half a
 * minute, unless proginfo_get() holds them. Cheap when nothing has changed.
 */
void proginfos_scan(struct proginfos *ps);

/* For callers that keep a pointer from one scan to the next. prog may be NULL. */
const struct proginfo *proginfo_get(const struct proginfo *prog);
void proginfo_put(const struct proginfo *prog);

const struct proginfo *proginfos_first(const struct proginfos *ps);
const struct proginfo *proginfos_by_id(struct proginfos *ps, __u32 id);

/*
 * The program of the list progs whose code contained the return address at when_ns (0: at any
 * time); NULL if there is none. nth: as in progaddr_find().
 */
const struct proginfo *proginfo_by_addr(const struct proginfo *progs, __u64 addr, __u64 when_ns,
					__u32 *nth);
bool proginfo_uses_map(const struct proginfo *prog, __u32 map_id);

/**
 * struct proginfo_was - a program as it was when it failed
 * @id: its id
 * @name: as full_name
 * @start: start of the function that failed
 * @end: end of its code
 * @when_ns: time of the failure
 */
struct proginfo_was {
	__u32 id;
	const char *name;
	__u64 start, end;
	__u64 when_ns;
};

/* Records the program, so that it has a name even if it is gone. 0 or -ENOMEM. */
int proginfos_recall(struct proginfos *ps, const struct proginfo_was *was);

/**
 * struct proginfo_brief - what the kernel reported of a program that was gone before it was read
 * @id: its id
 * @name: of the program's function; NULL: unknown
 * @born_ns: when it was loaded, 0: unknown
 * @gone_ns: when it was released, 0: unknown, but it is gone
 * @starts: start of each of its functions
 * @sizes: size of each function
 * @nr_funcs: entries of @starts and @sizes; 0: unknown
 */
struct proginfo_brief {
	__u32 id;
	const char *name;
	__u64 born_ns, gone_ns;
	const __u64 *starts;
	const __u32 *sizes;
	__u32 nr_funcs;
};

/**
 * struct proginfo_witness - an observer of all programs that are loaded and unloaded
 * @newest: returns the highest id so far, 0 if there was no program
 * @sees_all: true if it has missed no program since the last call
 * @brief: gets the data of a program, valid until the next call; false: unknown
 * @ctx: argument of all three, used as long as programs are scanned
 *
 * A failure of a program that was gone before it could be read must not get the name of an earlier
 * program in the same memory.
 */
struct proginfo_witness {
	__u32 (*newest)(void *ctx);
	bool (*sees_all)(void *ctx);
	bool (*brief)(void *ctx, __u32 id, struct proginfo_brief *brief);
	void *ctx;
};

void proginfos_ask(struct proginfos *ps, const struct proginfo_witness *witness);

/* The newest program of this (short) name that uses the map; NULL if none. */
const struct proginfo *proginfos_by_map(struct proginfos *ps, __u32 map_id, const char *name);

/* Can the program take a resilient lock? False only if it certainly cannot. */
bool proginfo_may_lock(const struct proginfo *prog);

/* Does the program report its own failures? Its ring is in one of its maps. */
bool proginfo_has_ring(const struct proginfo *prog);

/*
 * Ids of programs that were gone before they could be read, since the last call or
 * proginfos_forget_missed(). PROGINFO_MISSED_MANY: more than fit into the list.
 */
#define PROGINFO_MISSED_MANY ~0U
bool proginfos_next_missed(struct proginfos *ps, __u32 *id);
void proginfos_forget_missed(struct proginfos *ps);

/* The last part of a path. */
const char *base_name(const char *path);

/*
 * The first line of the statement that ends at this line: compilers number a macro by its last line
 * and the code in it by its first. base: as for proginfo_line().
 */
__u32 proginfo_first_line(const struct proginfo *prog, const char *base, __u32 line);

/* The nth line of the program: its number, and the last part of its file's name. */
__u32 proginfo_nth_line(const struct proginfo *prog, __u32 nth, char *base, size_t size);

/*
 * Source file and text of a line of the program; false if it has no such line.
 * base: last part of the file's name; NULL or "": the file of the program's own function.
 */
bool proginfo_line(const struct proginfo *prog, const char *base, __u32 line, const char **file,
		   const char **text);

#endif
