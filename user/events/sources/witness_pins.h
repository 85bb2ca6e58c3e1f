/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pins a tracer that goes on without its process: its maps and links, in a folder of bpffs. A map
 * is pinned by its own name, a link as "link_" and the name of its program.
 */
#ifndef RQSPIN_SOURCES_WITNESS_PINS_H
#define RQSPIN_SOURCES_WITNESS_PINS_H

#include <linux/types.h>

#include "events/sources/witness_ring.h"

struct bpf_object_skeleton;
struct bpf_prog_skeleton;

#define WITNESS_PINS_PATH 512

const struct bpf_prog_skeleton *witness_skeleton_prog(const struct bpf_object_skeleton *skel,
						      int nth);

/*
 * Makes the folder and pins the maps and everything that is attached. 0 or -errno; on an error
 * nothing stays pinned.
 */
int witness_pins_make(const char *folder, const struct bpf_object_skeleton *skel,
		      const int fds[WITNESS_NR_MAPS]);

/* Descriptors of the maps, to be closed by the caller. 0 or -errno, then none is open. */
int witness_pins_open(const char *folder, int fds[WITNESS_NR_MAPS]);

/* Passes the name of each program that is attached to fn. 0 or -errno. */
typedef void (*witness_prog_fn)(const char *prog, void *ctx);
int witness_pins_progs(const char *folder, witness_prog_fn fn, void *ctx);

/* A descriptor of the program, to be closed by the caller; negative: there is none. */
int witness_pins_prog(const char *folder, const char *prog);

/* Calls that a program missed, because they came while it ran on the same CPU. */
__u64 witness_prog_missed(int prog_fd);
__u64 witness_pins_missed(const char *folder, const char *prog);

#endif
