/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_LINE_H
#define SIM_LINE_H

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

/** line_init() - Set up a line that CPU @owner has. */
void line_init(struct sim_line *l, struct sim *s, int owner);
void line_free(struct sim_line *l);

/** line_request() - Access the line; sim_done() is called at the end. */
void line_request(struct sim_line *l, struct sim_req *r);

bool line_has(const struct sim_line *l, int cpu);
void line_watch(struct sim_line *l, int cpu);
void line_unwatch(struct sim_line *l, int cpu);

/** line_changed() - A write is visible: the CPUs that spin fetch the line again. */
void line_changed(struct sim_line *l);

#endif
