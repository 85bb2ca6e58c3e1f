// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/log.h"
#include "base/tree.h"
#include "events/recorder/place.h"

#define DEPTH_MAX 3 /* the recorder, a source, its pins */

int place_find(struct place *p, const char *bpffs)
{
	struct statfs fs;

	p->lock = -1;
	if (strlen(bpffs) + sizeof("/rqspin") > sizeof(p->root)) {
		pr_err("%s: the path is too long", bpffs);
		return -ENAMETOOLONG;
	}
	if (statfs(bpffs, &fs) && errno != ENOENT) {
		pr_err("%s: %s", bpffs, strerror(errno));
		return errno == EACCES ? -EOPNOTSUPP : -errno;
	}
	if (access(bpffs, F_OK) || fs.f_type != BPF_FS_MAGIC) {
		pr_err("%s is no BPF file system, in which the recorder lives on: mount one with "
		       "'mount -t bpf bpf %s', or name another one with --bpffs",
		       bpffs, bpffs);
		return -EOPNOTSUPP;
	}
	snprintf(p->root, sizeof(p->root), "%s/rqspin", bpffs);
	snprintf(p->whole, sizeof(p->whole), "%s/recorder", p->root);
	snprintf(p->unfinished, sizeof(p->unfinished), "%s/recorder_unfinished", p->root);
	/* Without this check it would seem that there is no recorder. */
	if (!access(p->root, X_OK) || errno != EACCES)
		return 0;
	pr_err("%s: not allowed to look at the recorder; run it as root (sudo)", p->root);
	return -EOPNOTSUPP;
}

bool place_has_whole(const struct place *p)
{
	return !access(p->whole, F_OK);
}

bool place_has_unfinished(const struct place *p)
{
	return !access(p->unfinished, F_OK);
}

static int place_cannot(const char *what, const char *path)
{
	int err = errno;

	pr_err("cannot %s %s: %s", what, path, strerror(err));
	return err == EACCES || err == EPERM ? -EOPNOTSUPP : -err;
}

/* Another command may have removed the root, and even have made a new one, before it was locked. */
static bool place_has_lock(const struct place *p)
{
	struct stat locked, root;

	return !fstat(p->lock, &locked) && !lstat(p->root, &root) && locked.st_dev == root.st_dev &&
	       locked.st_ino == root.st_ino;
}

/* -EBUSY: another command holds the lock. */
static int place_try_lock(struct place *p)
{
	if (mkdir(p->root, 0700) && errno != EEXIST)
		return place_cannot("make", p->root);
	p->lock = open(p->root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->lock < 0)
		return errno == ENOENT ? -EBUSY : place_cannot("open", p->root);
	if (!flock(p->lock, LOCK_EX | LOCK_NB) && place_has_lock(p))
		return 0;
	close(p->lock);
	p->lock = -1;
	return -EBUSY;
}

int place_lock(struct place *p)
{
	int err = place_try_lock(p);

	if (err == -EBUSY)
		err = place_try_lock(p);
	if (err == -EBUSY)
		pr_err("another rqspin starts or stops the recorder in %s right now", p->root);
	return err;
}

void place_unlock(struct place *p)
{
	if (p->lock < 0)
		return;
	rmdir(p->root);
	close(p->lock);
	p->lock = -1;
}

static int place_remove_unfinished(struct place *p)
{
	int err = tree_remove(p->unfinished, DEPTH_MAX - 1);

	if (err == -ENOENT)
		return 0;
	if (err)
		pr_err("cannot remove %s: %s", p->unfinished, strerror(-err));
	return err;
}

int place_begin(struct place *p)
{
	int err = place_remove_unfinished(p);

	if (err)
		return err;
	return mkdir(p->unfinished, 0700) ? place_cannot("make", p->unfinished) : 0;
}

int place_finish(struct place *p)
{
	return rename(p->unfinished, p->whole) ? place_cannot("rename", p->unfinished) : 0;
}

int place_remove(struct place *p)
{
	int err = place_remove_unfinished(p);

	if (err || !place_has_whole(p))
		return err;
	/* Half a recorder must never look like a whole one. */
	if (rename(p->whole, p->unfinished))
		return place_cannot("rename", p->whole);
	return place_remove_unfinished(p);
}
