/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Translates ids of cgroups to names and back. An id is the inode number of the cgroup's folder. */
#ifndef RQSPIN_NAMES_CGROUPNAME_H
#define RQSPIN_NAMES_CGROUPNAME_H

#include <limits.h>
#include <linux/types.h>

#define CGROUP_NAME 320 /* of a longer path the id is shown instead */

struct cgroupnames;

/*
 * Where cgroup2 is mounted; of several places the one that shows most of the tree. mounts: a file
 * like /proc/self/mounts. magic: CGROUP2_SUPER_MAGIC. -ENOENT: nowhere.
 */
int cgroup_root(const char *mounts, long magic, char root[PATH_MAX]);

/*
 * The id of a cgroup. text: an id, a path below root as in /proc/PID/cgroup, or a path of the file
 * system. -ENOENT: there is none, -ENOMEM.
 */
int cgroup_find(const char *root, const char *text, __u64 *id);

struct cgroupnames *cgroupnames_open(const char *root); /* NULL: out of memory */
void cgroupnames_close(struct cgroupnames *n);

/* Allows one more look at the tree for the next unknown id. */
void cgroupnames_scan(struct cgroupnames *n);

/*
 * The path of the cgroup below root, "/" for root itself. A cgroup that was gone before the look is
 * named by its id. 0 or -ENOMEM.
 */
int cgroupnames_find(struct cgroupnames *n, __u64 id, char name[CGROUP_NAME]);

#endif
