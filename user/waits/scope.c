// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/magic.h>

#include "base/log.h"
#include "base/opts.h"
#include "names/cgroupname.h"
#include "waits/scope.h"

enum { KEY_CGROUP = 0x4000, KEY_BY_CGROUP };

static const struct argp_option options[] = {
	{ "by-cgroup", KEY_BY_CGROUP, NULL, 0,
	  "With --waits: tell the cgroups (version 2) of the waiting tasks apart", 2 },
	{ "cgroup", KEY_CGROUP, "PATH|ID", 0,
	  "With --waits: only waits of tasks in this cgroup and below: a path as in "
	  "/proc/PID/cgroup, or an id",
	  2 },
	{ 0 },
};

static error_t wait_scope_parse(int key, char *arg, struct argp_state *state)
{
	struct wait_scope *s = state->input;

	switch (key) {
	case KEY_BY_CGROUP:
		s->by_cgroup = true;
		return 0;
	case KEY_CGROUP:
		if (!*arg)
			opts_error(state, "--cgroup: a path or an id is needed");
		s->cgroup = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp wait_scope_argp = { .options = options, .parser = wait_scope_parse };

bool wait_scope_any(const struct wait_scope *s)
{
	return s->cgroup || s->by_cgroup;
}

int wait_scope_find(struct wait_scope *s)
{
	int err;

	if (!wait_scope_any(s))
		return 0;
	if (cgroup_root("/proc/self/mounts", CGROUP2_SUPER_MAGIC, s->root)) {
		pr_err("--%s: no cgroup2 is mounted here: 'mount -t cgroup2 none /mnt' mounts it",
		       s->cgroup ? "cgroup" : "by-cgroup");
		return -EOPNOTSUPP;
	}
	err = s->cgroup ? cgroup_find(s->root, s->cgroup, &s->id) : 0;
	if (err == -ENOENT)
		pr_err("--cgroup: '%s' is no cgroup in %s: give a path, as /proc/PID/cgroup has it "
		       "behind '0::', or an id, the inode number of the folder ('ls -di')",
		       s->cgroup, s->root);
	else if (err)
		pr_err("out of memory");
	return err;
}
