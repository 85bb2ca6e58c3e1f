// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "check/arena.h"
#include "check/loaded.h"

/* 0 also if the program is gone since it was listed. */
static int loaded_add_prog(struct check_set *set, __u32 id)
{
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = check_add_prog(set, fd, NULL, NULL) ?: arena_add(set, fd);
	close(fd);
	return err;
}

int check_loaded(struct check_set *set)
{
	__u32 id = 0;
	int err = 0;

	set->loaded = true;
	while (!err && !bpf_prog_get_next_id(id, &id))
		err = loaded_add_prog(set, id);
	if (!err && errno != ENOENT)
		err = -errno;
	if (err)
		pr_err("the programs in the kernel cannot be read: %s", strerror(-err));
	return err == -EPERM ? -EOPNOTSUPP : err;
}
