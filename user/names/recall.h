/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What locks and maps were called when they failed: they may be gone, and others in their place. */
#ifndef RQSPIN_NAMES_RECALL_H
#define RQSPIN_NAMES_RECALL_H

#include <linux/types.h>
#include <stdbool.h>

struct lockname;
struct recall;

struct recall *recall_new(void); /* NULL: no memory */
void recall_free(struct recall *r);

/* The lock had this name at that time; without an address: the map had. 0 or -ENOMEM. */
int recall_add(struct recall *r, const struct lockname *name, __u64 when_ns);

/*
 * The lock's name at that time: it was written down then, or the same map had the address before
 * and afterwards. NULL: it is not known, since another lock may have been there.
 */
const struct lockname *recall_lock(struct recall *r, __u64 addr, __u64 when_ns);

/* Was the map there at that time? */
bool recall_had_map(const struct recall *r, __u32 map_id, __u64 when_ns);

/* What is known of the map; NULL: nothing. */
const struct lockname *recall_map(struct recall *r, __u32 map_id);

#endif
