/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Field paths inside a map's value, from the map's BTF. */
#ifndef RQSPIN_NAMES_LOCKTYPE_H
#define RQSPIN_NAMES_LOCKTYPE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "names/graphtype.h"

struct btf;
struct locktype;

/* NULL if the map is gone or carries no type information. */
struct locktype *locktype_read(__u32 map_id);
void locktype_free(struct locktype *lt);

/* Do the map's values have a resilient lock? */
bool locktype_has_lock(__u32 map_id);

/* Is there a list or tree in the values of the map? */
bool locktype_has_graph(const struct locktype *lt, enum graph_kind kind);

/* Does the map belong to the tool itself? */
bool locktype_own(const struct locktype *lt);

/*
 * The same for a type by its id in btf. arena: a lock has a type of the program's, not of the
 * kernel's, and is recognized by "lock" in the type's name.
 */
void locktype_path_in(const struct btf *btf, __u32 type, bool arena, __u32 off, char *buf,
		      size_t size);

/* "lock_a" in a data section, "inner.lock" in a map value; "+8" without types. */
void locktype_path(const struct locktype *lt, __u32 off, char *buf, size_t size);

#endif
