/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations of maps as acquisitions of the locks inside the map. */
#ifndef RQSPIN_CHECK_MAPOPS_H
#define RQSPIN_CHECK_MAPOPS_H

#include "check/progs.h"

/**
 * mapop_find() - what a function of the kernel does with a map
 * @function: its name
 * @reg: gets the register that has the map
 *
 * Return: the operation as in errors.tsv, or NULL: none that takes a lock of any map
 */
const char *mapop_find(const char *function, int *reg);

/* Mask of enum maplock: what the operation takes in a map of that type and with these flags. */
unsigned int mapop_locks(const struct check_map *m, const char *op);

/* Does user space have such operations that take a lock, too? */
bool mapop_of_user_space(const struct check_map *m);

/* Is there a free list, which is shared by the CPUs? */
bool mapop_has_freelist(const struct check_map *m);

/* Does it allocate its elements while it holds a lock? */
bool mapop_allocates(const struct check_map *m);

/* "lru_hash", as in errors.tsv. */
const char *mapop_type(const struct check_map *m);

#endif
