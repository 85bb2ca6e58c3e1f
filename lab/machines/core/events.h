/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_EVENTS_H
#define SIM_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Simulated time, in picoseconds. */
typedef int64_t sim_time;

#define SIM_NS	  ((sim_time)1000)
#define SIM_US	  (1000 * SIM_NS)
#define SIM_MS	  (1000 * SIM_US)
#define SIM_NEVER INT64_MAX

/**
 * struct event - something that happens
 * @at:  when
 * @seq: number of the event: events at the same time happen in the order of their numbers
 * @fn:  function to call, with @arg and @tag
 */
struct event {
	sim_time at;
	uint64_t seq;
	void (*fn)(void *arg, uint64_t tag);
	void *arg;
	uint64_t tag;
};

struct events {
	struct event *heap;
	size_t count, room;
	uint64_t seq;
};

/**
 * events_add() - Plan a call.
 *
 * An event cannot be cancelled. Instead, @fn can find by @tag that its event is stale.
 * Ends the program if there is no memory.
 */
void events_add(struct events *e, sim_time at, void (*fn)(void *, uint64_t), void *arg,
		uint64_t tag);

/** events_next() - Take the earliest event into @out. Return: false if there is none. */
bool events_next(struct events *e, struct event *out);
void events_free(struct events *e);

#endif
