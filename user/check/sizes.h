/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Maps whose size the object leaves to the command that loads it. */
#ifndef RQSPIN_CHECK_SIZES_H
#define RQSPIN_CHECK_SIZES_H

#include <stdbool.h>

struct bpf_map;

/* Gives the map a size, so that its programs can be loaded. False: it has one, or needs none. */
bool sizes_complete(struct bpf_map *map);

#endif
