/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a simulated machine consists of: words in lines, CPUs, time. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "core/events.h"
#include "core/fiber.h"
#include "core/rng.h"
#include "core/topo.h"

struct sim;
struct sim_cpu;
struct sim_line;

/**
 * struct sim_var - a word in memory; several may share a line
 * @at: where its value is; NULL: in @value
 */
struct sim_var {
	struct sim_line *line;
	uint64_t value, *at;
};

enum sim_op { SIM_READ, SIM_OWN, SIM_STORE, SIM_SWAP, SIM_CAS, SIM_ADD, SIM_OR, SIM_AND };

/**
 * struct sim_req - an access
 * @mask, @bits: the part of the word that is written, and what with
 * @old:  expected value of SIM_CAS (@bits is the new one); after the access, the value before it
 * @next: next request in the queue of its line
 */
struct sim_req {
	struct sim_cpu *cpu;
	struct sim_var *var;
	enum sim_op op;
	uint64_t mask, bits, old;
	struct sim_req *next;
};

/**
 * struct sim_line - a cache line, with the state of its directory
 * @has:      CPUs that have the line, @holders of them, @in of them in each socket
 * @owner:    the CPU that may write it at once if it is the only holder
 * @free_at:  when the directory can serve the next request
 * @arrives:  when the line arrives at each socket
 * @first, @last: requests that wait, @waiting of them
 * @watcher:  CPUs that spin on it
 */
struct sim_line {
	struct sim *sim;
	uint64_t has[SIM_CPUS / 64];
	int holders, owner;
	int16_t in[SIM_SOCKETS];
	sim_time free_at, arrives[SIM_SOCKETS];
	struct sim_req *first, *last;
	int waiting;
	bool planned;
	int *watcher;
	int watchers, room;
};

#define SIM_STORES 8

struct host;

/**
 * struct sim_cpu - a simulated CPU, or a virtual one
 * @place:   where it is; @fiber runs its code
 * @wait:    counts its waits: an event for an earlier wait is stale
 * @req:     the access that it waits for
 * @store:   stores that are not visible yet, in order: @stores of them from @store_first
 * @draining: it waits for stores to become visible
 * @watched: line whose change it waits for
 * @changed: the line was written
 * @sleep_end: end of its current delay, or SIM_NEVER
 * @sleep_left: rest of a delay, while the CPU does not run
 * @host:    the host's view of a virtual CPU, or NULL
 * @due:     it goes on as soon as its host runs it
 * @lost:    the watched line was written while it did not run
 */
struct sim_cpu {
	struct sim *sim;
	int id;
	struct place place;
	struct fiber *fiber;
	uint64_t wait;
	struct sim_req req;
	struct sim_req store[SIM_STORES];
	int stores, store_first;
	bool draining;
	struct sim_line *watched;
	bool changed;
	sim_time sleep_end, sleep_left;
	struct vcpu *host;
	bool off, due, lost;
	void (*code)(struct sim_cpu *);
	void *user;
};

/**
 * struct sim - a simulation
 * @now:    simulated time
 * @end:    the simulation stops there
 * @stop:   set by code to end the simulation early
 */
struct sim {
	struct topo topo;
	struct events events;
	struct rng rng;
	sim_time now, end;
	bool stop;
	int ncpus;
	struct sim_cpu *cpu;
	struct host *host;
	uint64_t reads, writes, remote;
};

/* What lines call: an access is over; a line was written on which @c spins. */
void sim_done(struct sim_req *r);
void sim_line_written(struct sim_cpu *c);

#endif
