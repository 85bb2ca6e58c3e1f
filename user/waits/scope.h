/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which waits are counted, and by what else than lock and caller: --cgroup and --by-cgroup. */
#ifndef RQSPIN_WAITS_SCOPE_H
#define RQSPIN_WAITS_SCOPE_H

#include <argp.h>
#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>

/**
 * struct wait_scope - what was asked for
 * @cgroup: count waits of tasks in this one and below, as given; NULL: all
 * @by_cgroup: count the waits of each cgroup separately
 * @id: of @cgroup, 0: all
 * @root: where cgroup2 is mounted, if any of that was asked for
 */
struct wait_scope {
	const char *cgroup;
	bool by_cgroup;
	__u64 id;
	char root[PATH_MAX];
};

/* The parser of both options; its input is a struct wait_scope. */
extern const struct argp wait_scope_argp;

/* Was any of them given? */
bool wait_scope_any(const struct wait_scope *s);

/* Find the cgroup and the tree of cgroups. 0, or -errno after printing why. */
int wait_scope_find(struct wait_scope *s);

#endif
