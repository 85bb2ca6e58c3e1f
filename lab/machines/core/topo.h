/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_TOPO_H
#define SIM_TOPO_H

#include <jansson.h>
#include <stdbool.h>

#include "core/events.h"

#define SIM_CPUS    512
#define SIM_SOCKETS 16

/**
 * struct topo - a machine; costs in picoseconds
 * @name:       for messages
 * @sockets, @cores, @smt: sockets, cores of a socket, threads of a core
 * @spread:     threads are placed on the sockets in turn, not on one socket after the other
 * @random:     a line that several CPUs want is given to one of them at random, not to the first
 * @hit:        access to a line that the CPU has
 * @rmw:        additional cost of an atomic
 * @core:       a line from the other thread of the core
 * @local:      a line from the same socket
 * @remote:     a line from another socket
 * @occ_local, @occ_remote: time for which a line is busy with a read
 * @pause:      one PAUSE
 * @upgrade:    upper limit for a write to a line of which the CPU has a copy; 0: the way to the
 *              farthest copy, as for any other write
 */
struct topo {
	char name[64];
	int sockets, cores, smt;
	bool spread, random;
	sim_time hit, rmw, core, local, remote, occ_local, occ_remote, pause, upgrade;
};

/** struct place - where a CPU is */
struct place {
	int socket, core;
};

static inline int topo_cpus(const struct topo *t)
{
	return t->sockets * t->cores * t->smt;
}

/**
 * topo_place() - Where thread @n runs.
 *
 * As Linux numbers CPUs on x86: first one thread of each core, socket by socket, then the
 * siblings. Threads beyond the last CPU start again at the first.
 */
struct place topo_place(const struct topo *t, int n);

/**
 * topo_read() - Read a machine from JSON, where costs are in nanoseconds.
 * @error: what is wrong, at least 160 characters
 *
 * Members of @t whose keys are absent keep their values.
 *
 * Return: 0, or -EINVAL with @error filled.
 */
int topo_read(struct topo *t, json_t *from, char *error);

#endif
