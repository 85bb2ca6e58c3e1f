/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Maps whose size the object leaves to the command that loads it. */
#ifndef RQSPIN_CHECK_SIZES_H
#define RQSPIN_CHECK_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct bpf_insn;
struct bpf_map;
struct refs;

/*
 * Gives the map a size, so that its programs can be loaded, and a smaller one if it is a large
 * one that sizes_bound() has nothing to say about. False: it stays as it is.
 */
bool sizes_complete(struct bpf_map *map);

/* As many elements as have keys that the instructions name, or compare with; at most below. */
__u32 sizes_named(const struct bpf_insn *insns, size_t nr_insns, __u32 below);

/*
 * A map that would take much of the kernel's memory gets fewer elements. Of an array all keys stay
 * that the object's code names, within reason; refs may be NULL: then none. True: it has got them.
 */
bool sizes_bound(const struct refs *refs, struct bpf_map *map);

/*
 * Gives a map of maps an inner map, if its object has none: *fd, if it is not 0, else a new one,
 * which the caller closes after the object. False: it has one, or is no such map.
 */
bool sizes_inner(struct bpf_map *map, int *fd);

/* Why the kernel does not create such a map, as far as its sizes tell; or NULL. */
const char *sizes_fault(const struct bpf_map *map);

#endif
