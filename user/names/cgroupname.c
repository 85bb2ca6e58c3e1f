// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/opts.h"
#include "names/cgroupname.h"

struct cgroup {
	__u64 id;
	__u64 look; /* the latest look that found it */
	char *path;
};

struct cgroupnames {
	struct cgroup *all; /* the first nr_sorted by id */
	size_t nr, nr_sorted;
	__u64 look;
	bool due;
	char path[PATH_MAX]; /* of the current cgroup during a look */
	char root[];
};

/*
 * The inode number of the mounted cgroup; 0: another file system is mounted over it, or it is no
 * cgroup2.
 */
static __u64 mount_id(const struct mntent *m, long magic)
{
	struct statfs fs;
	struct stat st;

	if (strcmp(m->mnt_type, "cgroup2") || strlen(m->mnt_dir) >= PATH_MAX)
		return 0;
	if (statfs(m->mnt_dir, &fs) || fs.f_type != magic || stat(m->mnt_dir, &st))
		return 0;
	return st.st_ino;
}

int cgroup_root(const char *mounts, long magic, char root[PATH_MAX])
{
	FILE *f = setmntent(mounts, "re");
	__u64 id, least = 0;
	struct mntent *m;

	while (f && (m = getmntent(f))) {
		id = mount_id(m, magic);
		/* A cgroup is older than its descendants, and so has a smaller number. */
		if (!id || (least && id >= least))
			continue;
		least = id;
		strcpy(root, m->mnt_dir);
	}
	if (f)
		endmntent(f);
	return least ? 0 : -ENOENT;
}

struct cgroupnames *cgroupnames_open(const char *root)
{
	struct cgroupnames *n = calloc(1, sizeof(*n) + strlen(root) + 1);

	if (!n)
		return NULL;
	strcpy(n->root, root);
	n->due = true;
	return n;
}

void cgroupnames_close(struct cgroupnames *n)
{
	for (size_t i = 0; n && i < n->nr; i++)
		free(n->all[i].path);
	if (n)
		free(n->all);
	free(n);
}

void cgroupnames_scan(struct cgroupnames *n)
{
	n->due = true;
}

static int by_id(const void *a, const void *b)
{
	const struct cgroup *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct cgroup *cgroup_known(const struct cgroupnames *n, __u64 id)
{
	struct cgroup key = { .id = id };

	return n->nr_sorted ? bsearch(&key, n->all, n->nr_sorted, sizeof(key), by_id) : NULL;
}

/* Records the cgroup at n->path as found. */
static int cgroup_note(struct cgroupnames *n, __u64 id)
{
	struct cgroup *known = cgroup_known(n, id);
	struct cgroup new = { .id = id, .look = n->look };
	void *all = n->all;
	int err;

	if (known) {
		known->look = n->look;
		return 0;
	}
	new.path = strdup(*n->path ? n->path : "/");
	err = new.path ? grow_append(&all, &n->nr, &new, sizeof(new)) : -ENOMEM;
	if (err)
		free(new.path);
	n->all = all;
	return err;
}

static int children_note(struct cgroupnames *n, int fd, size_t len);

static int child_note(struct cgroupnames *n, int parent, const struct dirent *d, size_t len)
{
	size_t more = strlen(d->d_name) + 1;
	int fd, err;

	if (len + more >= sizeof(n->path))
		return 0;
	n->path[len] = '/';
	memcpy(n->path + len + 1, d->d_name, more);
	err = cgroup_note(n, d->d_ino);
	if (err)
		return err;
	/* The cgroup may be gone by now. */
	fd = openat(parent, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? 0 : children_note(n, fd, len + more);
}

/* Takes ownership of fd. A cgroup has many files: no stat() for each. */
static int children_note(struct cgroupnames *n, int fd, size_t len)
{
	DIR *folder = fdopendir(fd);
	struct dirent *d;
	int err = 0;

	if (!folder) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && (d = readdir(folder)))
		if (d->d_type == DT_DIR && strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			err = child_note(n, fd, d, len);
	closedir(folder);
	return err;
}

/* A cgroup is kept for one look after it has gone: its last waits may not have been counted yet. */
static void forget_gone(struct cgroupnames *n)
{
	size_t nr = 0;

	for (size_t i = 0; i < n->nr; i++) {
		if (n->all[i].look + 1 < n->look)
			free(n->all[i].path);
		else
			n->all[nr++] = n->all[i];
	}
	n->nr = nr;
}

static int tree_look(struct cgroupnames *n)
{
	int fd = open(n->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int err;

	n->due = false;
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return 0; /* unmounted: known names stay */
	}
	n->look++;
	n->path[0] = 0;
	err = cgroup_note(n, st.st_ino);
	if (err)
		close(fd);
	else
		err = children_note(n, fd, 0);
	forget_gone(n);
	if (n->nr)
		qsort(n->all, n->nr, sizeof(*n->all), by_id);
	n->nr_sorted = n->nr;
	return err;
}

int cgroupnames_find(struct cgroupnames *n, __u64 id, char name[CGROUP_NAME])
{
	const struct cgroup *c = cgroup_known(n, id);
	int err = 0;

	if (!c && n->due) {
		err = tree_look(n);
		c = cgroup_known(n, id);
	}
	/* A truncated path could be the name of another cgroup. */
	if (c && strlen(c->path) < CGROUP_NAME)
		strcpy(name, c->path);
	else
		snprintf(name, CGROUP_NAME, "%llu", id);
	return err;
}

static int id_find(const char *root, __u64 id)
{
	struct cgroupnames *n = cgroupnames_open(root);
	int err = n ? tree_look(n) : -ENOMEM;

	if (!err && !cgroup_known(n, id))
		err = -ENOENT;
	cgroupnames_close(n);
	return err;
}

/* All cgroups are on one device, wherever it is mounted. */
static bool folder_find(const char *path, dev_t dev, __u64 *id)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode) || st.st_dev != dev)
		return false;
	*id = st.st_ino;
	return true;
}

int cgroup_find(const char *root, const char *text, __u64 *id)
{
	char path[PATH_MAX];
	uint64_t number;
	struct stat st;
	int len;

	if (!opt_u64(text, 1, UINT64_MAX, &number)) {
		*id = number;
		return id_find(root, number);
	}
	if (stat(root, &st))
		return -ENOENT;
	len = snprintf(path, sizeof(path), "%s/%s", root, text);
	if (len < (int)sizeof(path) && folder_find(path, st.st_dev, id))
		return 0;
	return folder_find(text, st.st_dev, id) ? 0 : -ENOENT;
}
