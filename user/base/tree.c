// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/tree.h"

static int tree_remove_in(int dir, const char *name, int depth);

/* Removes everything in the folder. Closes fd. */
static int tree_empty(int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = -errno;
		close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = tree_remove_in(dirfd(dir), entry->d_name, depth - 1);
	closedir(dir);
	return err;
}

static int tree_remove_in(int dir, const char *name, int depth)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd < 0)
		return unlinkat(dir, name, 0) && errno != ENOENT ? -errno : 0;
	if (depth < 0) {
		close(fd);
		return -ELOOP;
	}
	err = tree_empty(fd, depth);
	return err ?: unlinkat(dir, name, AT_REMOVEDIR) ? -errno : 0;
}

int tree_remove(const char *path, int depth)
{
	return tree_remove_in(AT_FDCWD, path, depth);
}
