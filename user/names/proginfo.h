/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of loaded BPF programs. All of it is read when a program is
 * first seen, so that events of programs that are gone can still be named.
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
	char name[16];	 /* as the kernel shows it: 15 characters */
	char *full_name; /* from BTF; the short one if there is none */
	__u32 *map_ids;
	__u32 nr_map_ids;
	struct bpf_line_info *lines;
	__u32 nr_lines;
	struct progaddr code;
	struct arena_addrs *arena; /* NULL: it has no variables in an arena */
	struct btf *btf;	   /* NULL: no line information */
	bool own;		   /* of the tool itself, whatever process loaded it */
	bool locks;	/* it calls the kernel's lock functions, or that cannot be told */
	__u64 born_ns;	/* it did not run before, 0: unknown */
	__u64 gone_ns;	/* it did not run later; may be to come; 0: it may be there */
	__u64 seen_ns;	/* it was surely there */
	bool recalled;	/* it was gone when it was told of */
	bool unread;	/* nothing is known but what struct proginfo_brief has */
	bool condemned; /* is forgotten at the next occasion */
	unsigned int users;
	struct proginfo *next;
};

struct proginfos;

struct proginfos *proginfos_open(void);
void proginfos_close(struct proginfos *ps);

/*
 * Read what was loaded since the last call, and forget what has been gone for half a minute,
 * except what proginfo_get() holds. Cheap when nothing happened.
 */
void proginfos_scan(struct proginfos *ps);

/* Whoever keeps a pointer from one scan to the next. prog may be NULL. */
const struct proginfo *proginfo_get(const struct proginfo *prog);
void proginfo_put(const struct proginfo *prog);

const struct proginfo *proginfos_first(const struct proginfos *ps);
const struct proginfo *proginfos_by_id(struct proginfos *ps, __u32 id);

/*
 * Whose code of these a return address was in at that time (0: whenever); NULL if nobody's. nth: as
 * progaddr_find().
 */
const struct proginfo *proginfo_by_addr(const struct proginfo *progs, __u64 addr, __u64 when_ns,
					__u32 *nth);
bool proginfo_uses_map(const struct proginfo *prog, __u32 map_id);

/**
 * struct proginfo_was - a program as it was when it failed
 * @id: its id
 * @name: as full_name
 * @start: code of the function that failed
 * @end: where that ends
 * @when_ns: time of the failure
 */
struct proginfo_was {
	__u32 id;
	const char *name;
	__u64 start, end;
	__u64 when_ns;
};

/* From now on the program has a name, also if it is gone. 0 or -ENOMEM. */
int proginfos_recall(struct proginfos *ps, const struct proginfo_was *was);

/**
 * struct proginfo_brief - what the kernel reported of a program that nobody could look at
 * @id: its id
 * @name: of its function; NULL: unknown
 * @born_ns: when it was loaded, 0: unknown
 * @gone_ns: when it was let go, 0: unknown, but it is gone
 * @starts: where its functions begin
 * @sizes: how long they are
 * @nr_funcs: of both; 0: unknown
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
 * struct proginfo_witness - somebody who sees each program come and go
 * @newest: the highest id until now, 0 if none came
 * @sees_all: since the last call nothing can have escaped it
 * @brief: what is known of a program, good until the next call; false: nothing
 * @ctx: of all, as long as programs are scanned
 *
 * What fails in a program that was gone before it could be looked at must not get the name of an
 * earlier one that had the same memory.
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

/* Could it take a resilient lock? False only if it surely cannot. */
bool proginfo_may_lock(const struct proginfo *prog);

/* Does it report its own failures? Its ring is in one of its maps. */
bool proginfo_has_ring(const struct proginfo *prog);

/*
 * Ids of programs that were gone again before they could be looked at, since the last call or
 * proginfos_forget_missed(). PROGINFO_MISSED_MANY: more than could be noted.
 */
#define PROGINFO_MISSED_MANY ~0U
bool proginfos_next_missed(struct proginfos *ps, __u32 *id);
void proginfos_forget_missed(struct proginfos *ps);

/* The last part of a path. */
const char *base_name(const char *path);

/*
 * Where what ends at this line begins: a compiler numbers a macro by its last line and code in it
 * by its first. base: as for proginfo_line().
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
