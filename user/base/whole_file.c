// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/whole_file.h"

#define TEMP	 ".rqspin-" /* collectors and make take no notice of such names */
#define TEMP_LEN (sizeof(TEMP) + 16)
#define TRIES	 100
#define ACL	 "system.posix_acl_access"
#define ACL_MAX	 4096

/**
 * struct temp_file - a file that is going to replace another
 * @dir: the folder
 * @fd: the new file, before it gets the name of the old one
 * @name: its temporary name, "" as long as it has none
 */
struct temp_file {
	int dir, fd;
	char name[TEMP_LEN];
};

bool whole_file_plain(const char *path)
{
	struct stat st;

	return lstat(path, &st) || S_ISREG(st.st_mode);
}

bool whole_file_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

bool whole_file_is_temp(const char *name)
{
	return !strncmp(name, TEMP, strlen(TEMP));
}

static int temp_name(char name[TEMP_LEN])
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(name, TEMP_LEN, TEMP "%016" PRIx64, random);
	return 0;
}

/*
 * A file without a name leaves nothing behind when we are killed. It needs /proc and a file system
 * that supports O_TMPFILE.
 */
static int nameless_open(int dir)
{
	if (access("/proc/self/fd", X_OK))
		return -1;
	return openat(dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0644);
}

static int temp_open(struct temp_file *t)
{
	t->name[0] = 0;
	t->fd = nameless_open(t->dir);
	for (int i = 0; t->fd < 0 && i < TRIES; i++) {
		int err = temp_name(t->name);

		if (err)
			return err;
		t->fd = openat(t->dir, t->name,
			       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (t->fd < 0 && errno != EEXIST)
			break;
	}
	return t->fd < 0 ? -errno : 0;
}

static int temp_link(struct temp_file *t)
{
	char proc[32];
	int err = 0;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", t->fd);
	for (int i = 0; !err && i < TRIES; i++) {
		err = temp_name(t->name);
		if (!err && !linkat(AT_FDCWD, proc, t->dir, t->name, AT_SYMLINK_FOLLOW))
			return 0;
		if (!err && errno != EEXIST)
			err = -errno;
	}
	t->name[0] = 0;
	return err ?: -EEXIST;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= n;
	}
	/* Without fsync(), a crash soon after the rename might leave an empty file. */
	return fsync(fd) ? -errno : 0;
}

/*
 * If the file has an access list, the group bits of its mode are the list's mask: with the mode
 * alone, the group would get the rights of the mask.
 */
static int keep_acl(int dir, const char *name, int fd)
{
	char path[PATH_MAX], acl[ACL_MAX];
	ssize_t size = -1;

	if (snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, name) < (int)sizeof(path))
		size = lgetxattr(path, ACL, acl, sizeof(acl));
	return size > 0 && fsetxattr(fd, ACL, acl, size, 0) ? -errno : 0;
}

static int keep_rights(int dir, const char *name, int fd)
{
	struct stat old, new;

	if (fstatat(dir, name, &old, AT_SYMLINK_NOFOLLOW) || !S_ISREG(old.st_mode))
		return 0;
	if (fstat(fd, &new))
		return -errno;
	if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
	    fchown(fd, old.st_uid, old.st_gid))
		return -errno;
	if (fchmod(fd, old.st_mode & 0777))
		return -errno;
	return keep_acl(dir, name, fd);
}

static int temp_write(struct temp_file *t, const char *name, const char *text, size_t len)
{
	int err = keep_rights(t->dir, name, t->fd) ?: write_all(t->fd, text, len);

	if (!err && !*t->name)
		err = temp_link(t);
	if (close(t->fd) && !err)
		err = -errno;
	if (!err && renameat(t->dir, t->name, t->dir, name))
		err = -errno;
	if (err && *t->name)
		unlinkat(t->dir, t->name, 0);
	return err;
}

int whole_file_replace_at(int dir, const char *name, const char *text, size_t len)
{
	struct temp_file t = { .dir = dir };
	int err = temp_open(&t);

	return err ?: temp_write(&t, name, text, len);
}

int whole_file_replace(const char *path, const char *text, size_t len)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char folder[PATH_MAX];
	int dir, err;

	if (slash - path >= (long)sizeof(folder))
		return -ENAMETOOLONG;
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
	dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	err = whole_file_replace_at(dir, name, text, len);
	close(dir);
	return err;
}
