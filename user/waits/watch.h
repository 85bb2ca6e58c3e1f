/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits that are counted and named while they come: stat --waits and top --waits. */
#ifndef RQSPIN_WAITS_WATCH_H
#define RQSPIN_WAITS_WATCH_H

#include <stdbool.h>

#include "waits/table.h"

struct cgroupnames;
struct locknames;
struct proginfos;
struct wait_scope;
struct waits;

/**
 * struct wait_watch - the waits, and the sources of their names
 * @progs: programs that wait
 * @locks: locks they wait for
 * @cgroups: of tasks that wait, NULL: not asked for
 * @waits: what the kernel has reported
 * @table: the same waits with names
 * @wake: sees programs come and go
 * @no_addr: a lock without a name is "", not its address
 */
struct wait_watch {
	struct wake *wake;
	struct proginfos *progs;
	struct locknames *locks;
	struct cgroupnames *cgroups;
	struct waits *waits;
	struct wait_table table;
	bool no_addr;
};

/*
 * Begin to count. @scope: as for waits_open(). 0, or -errno after printing why; then there is
 * nothing to close.
 */
int wait_watch_open(struct wait_watch *w, const struct wait_scope *scope, bool no_addr);
void wait_watch_close(struct wait_watch *w);

/*
 * Name new waits. Call it now and then, and as soon as a program is loaded: it may be gone later. 0
 * or -ENOMEM.
 */
int wait_watch_look(struct wait_watch *w);

#endif
