/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locks by name, as text and as JSON. */
#ifndef RQSPIN_SHOW_LOCK_VIEW_H
#define RQSPIN_SHOW_LOCK_VIEW_H

#include <jansson.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

struct lockname;
struct locknames;
struct proginfo;

/**
 * struct lock_view - how the addresses of one record are named
 * @names: finds the names
 * @when_ns: when the addresses were those of locks; 0: now
 * @prog: the program that used the addresses, NULL if unknown
 * @progs: all known programs, for addresses of code; may be NULL
 * @no_addr: do not show kernel addresses
 * @known: the name of one of the addresses when the record was new; NULL: look it up
 */
struct lock_view {
	struct locknames *names;
	__u64 when_ns;
	const struct proginfo *prog;
	const struct proginfo *progs;
	bool no_addr;
	const struct lockname *known;
};

/* "lock_b(map 83)" */
void lock_view_put(FILE *out, const struct lock_view *v, __u64 addr);

/* If the address has no name (0 has none): "a lock of hash flows(map 58)", some lock inside the
 * map. */
void lock_view_put_or(FILE *out, const struct lock_view *v, __u64 addr, __u32 map_id);

json_t *lock_view_json(const struct lock_view *v, __u64 addr); /* null for address 0 */
/* The same: some lock inside the map; null if there is neither address nor map. */
json_t *lock_view_json_or(const struct lock_view *v, __u64 addr, __u32 map_id);
json_t *lockname_json(const struct lockname *n, bool no_addr);

#endif
