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
 * Give a map without a size one, so that its programs can be loaded. A large map that sizes_bound()
 * does not handle gets a smaller size. False: the map stays as it is.
 */
bool sizes_complete(struct bpf_map *map);

/* Number of elements for all keys that the instructions name, or compare with; at most @below. */
__u32 sizes_named(const struct bpf_insn *insns, size_t nr_insns, __u32 below);

/*
 * Give fewer elements to a map that would take much of the kernel's memory. An array keeps all keys
 * that the object's code names, within reason; without refs (NULL) it keeps none of them. True: the
 * map has fewer elements now.
 */
bool sizes_bound(const struct refs *refs, struct bpf_map *map);

/*
 * Give a map of maps an inner map, if its object has none: *fd if it is not 0, else a new one,
 * which the caller closes after the object. False: it has an inner map, or is no such map.
 */
bool sizes_inner(struct bpf_map *map, int *fd);

/* Why the kernel does not create such a map, as far as its sizes show; or NULL. */
const char *sizes_fault(const struct bpf_map *map);

#endif
