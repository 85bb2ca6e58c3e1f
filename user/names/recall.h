/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recorded names of locks and maps at the time of their failures: they may be gone by now, and
 * others in their place.
 */
#ifndef RQSPIN_NAMES_RECALL_H
#define RQSPIN_NAMES_RECALL_H

#include <linux/types.h>
#include <stdbool.h>

struct lockname;
struct recall;

struct recall *recall_new(void); /* NULL: no memory */
void recall_free(struct recall *r);

/*
 * Records the name that the lock had at when_ns; without an address: the map's name. 0 or -ENOMEM.
 */
int recall_add(struct recall *r, const struct lockname *name, __u64 when_ns);

/*
 * The lock's name at that time: it was recorded at that time, or the same map had the address
 * before and after. NULL: unknown, since another lock may have had the address.
 */
const struct lockname *recall_lock(struct recall *r, __u64 addr, __u64 when_ns);

/* Did the map exist at that time, as far as recorded? */
bool recall_had_map(const struct recall *r, __u32 map_id, __u64 when_ns);

/* The recorded name of the map; NULL: none. */
const struct lockname *recall_map(struct recall *r, __u32 map_id);

#endif
