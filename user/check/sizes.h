/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Maps whose size the object leaves to the command that loads it. */
#ifndef RQSPIN_CHECK_SIZES_H
#define RQSPIN_CHECK_SIZES_H

#include <stdbool.h>

struct bpf_map;

/*
 * Gives the map a size, so that its programs can be loaded, and a smaller one if it would take a
 * large part of the kernel's memory. False: it stays as it is.
 */
bool sizes_complete(struct bpf_map *map);

/*
 * A map that would take much of the kernel's memory gets fewer elements, but all keys that the
 * programs name. True: it has got them.
 */
bool sizes_bound(const struct bpf_object *obj, struct bpf_map *map);

/*
 * Gives a map of maps an inner map, if its object has none: *fd, if it is not 0, else a new one,
 * which the caller closes after the object. False: it has one, or is no such map.
 */
bool sizes_inner(struct bpf_map *map, int *fd);

/* Why the kernel does not create such a map, as far as its sizes tell; or NULL. */
const char *sizes_fault(const struct bpf_map *map);

#endif
