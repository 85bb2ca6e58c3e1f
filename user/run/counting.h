/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts calls of the lock functions by programs that do not count them themselves. */
#ifndef RQSPIN_RUN_COUNTING_H
#define RQSPIN_RUN_COUNTING_H

#include <linux/types.h>
#include <bpf/libbpf.h>

#include "counted.h"
#include "run/driver.h"
#include "run/linked.h"

/**
 * struct counting - copies of the user's programs that count
 * @linked: the object of which @objs are copies; its why is not empty if nothing can be counted
 * @objs: one per role, with the maps of the object that is loaded
 * @calls: one per role, the calls counted so far
 * @nr: of @objs and of @calls
 */
struct counting {
	struct linked linked;
	struct bpf_object **objs;
	const struct counted_calls **calls;
	unsigned int nr;
};

/*
 * Give the roles programs that count. These share the maps of @obj, which is loaded. Returns 0, or
 * -errno: nothing has changed, and c->linked.why says what prevents counting. Call counting_stop()
 * in any case.
 */
int counting_start(struct counting *c, struct bpf_object *obj, const char *path, struct role *roles,
		   unsigned int nr);
void counting_stop(struct counting *c);

#endif
