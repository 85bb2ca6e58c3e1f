// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/tree.h"
#include "fault.h"
#include "names/cgroupname.h"
#include "unit.h"

#define DEPTH_MAX 16

/* Any tree of folders will do: cgroup2 adds nothing to it. */
static char root[] = "/dev/shm/rqspin-unit-XXXXXX";

static char *path_below(const char *path, char at[PATH_MAX])
{
	snprintf(at, PATH_MAX, "%s%s", root, path);
	return at;
}

static __u64 group_make(const char *path)
{
	char at[PATH_MAX];
	struct stat st;

	assert_int_equal(mkdir(path_below(path, at), 0755), 0);
	assert_int_equal(stat(at, &st), 0);
	return st.st_ino;
}

static void group_remove(const char *path)
{
	char at[PATH_MAX];

	assert_int_equal(rmdir(path_below(path, at)), 0);
}

static __u64 root_id(void)
{
	struct stat st;

	assert_int_equal(stat(root, &st), 0);
	return st.st_ino;
}

static void file_write(const char *path, const char *text)
{
	char at[PATH_MAX];
	FILE *f = fopen(path_below(path, at), "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int tree_make(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return !mkdtemp(root);
}

static int tree_end(void **state)
{
	(void)state;
	return tree_remove(root, DEPTH_MAX);
}

static void assert_name(struct cgroupnames *n, __u64 id, const char *want)
{
	char name[CGROUP_NAME];

	assert_int_equal(cgroupnames_find(n, id, name), 0);
	assert_string_equal(name, want);
}

static void assert_id_is_name(struct cgroupnames *n, __u64 id)
{
	char want[32];

	snprintf(want, sizeof(want), "%llu", id);
	assert_name(n, id, want);
}

static void a_name_is_the_path(void **state)
{
	__u64 pod = group_make("/pod"), one = group_make("/pod/one"),
	      odd = group_make("/pod/..odd name");
	struct cgroupnames *n = cgroupnames_open(root);

	(void)state;
	file_write("/pod/cgroup.procs", "");
	assert_name(n, pod, "/pod");
	assert_name(n, one, "/pod/one");
	assert_name(n, odd, "/pod/..odd name");
	assert_name(n, root_id(), "/");
	cgroupnames_close(n);
}

/* Else each wait of a cgroup that is gone would cost a walk through all others. */
static void what_comes_later_needs_a_look(void **state)
{
	struct cgroupnames *n = cgroupnames_open(root);
	__u64 late;

	(void)state;
	assert_name(n, root_id(), "/");
	late = group_make("/late");
	assert_id_is_name(n, late);
	cgroupnames_scan(n);
	assert_name(n, late, "/late");
	cgroupnames_close(n);
}

/* Its waits are counted after its end; then nobody asks any more. */
static void the_gone_keep_their_names_for_a_look(void **state)
{
	__u64 gone = group_make("/gone"), unknown = UINT64_MAX;
	struct cgroupnames *n = cgroupnames_open(root);

	(void)state;
	assert_name(n, gone, "/gone");
	group_remove("/gone");
	cgroupnames_scan(n);
	assert_id_is_name(n, unknown);
	assert_name(n, gone, "/gone");
	cgroupnames_scan(n);
	assert_id_is_name(n, unknown);
	assert_id_is_name(n, gone);
	cgroupnames_close(n);
}

static void who_was_gone_has_an_id(void **state)
{
	__u64 gone = group_make("/gone");
	struct cgroupnames *n = cgroupnames_open(root);

	(void)state;
	group_remove("/gone");
	assert_id_is_name(n, gone);
	group_remove("");
	cgroupnames_scan(n);
	assert_id_is_name(n, gone);
	cgroupnames_close(n);
}

/* Half of it may be the whole of another one. */
static void too_long_a_path_is_no_name(void **state)
{
	char path[CGROUP_NAME + 2] = "/";
	struct cgroupnames *n = cgroupnames_open(root);
	__u64 fits, beyond;

	(void)state;
	memset(path + 1, 'a', 159);
	group_make(path);
	path[160] = '/';
	memset(path + 161, 'b', CGROUP_NAME - 1 - 161);
	fits = group_make(path);
	path[CGROUP_NAME - 1] = 'b';
	beyond = group_make(path);
	assert_id_is_name(n, beyond);
	path[CGROUP_NAME - 1] = 0;
	assert_name(n, fits, path);
	cgroupnames_close(n);
}

static void many_have_names(void **state)
{
	struct cgroupnames *n = cgroupnames_open(root);
	__u64 ids[300];
	char path[16];

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "/%zu", i);
		ids[i] = group_make(path);
	}
	for (size_t i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "/%zu", i);
		assert_name(n, ids[i], path);
	}
	cgroupnames_close(n);
}

static void without_memory_it_says_so(void **state)
{
	__u64 id;
	int err;

	(void)state;
	fault_at(1);
	err = cgroup_find(root, "1", &id);
	assert_true(fault_end());
	assert_int_equal(err, -ENOMEM);
}

static void assert_found(const char *text, __u64 want)
{
	__u64 id = 0;

	assert_int_equal(cgroup_find(root, text, &id), want ? 0 : -ENOENT);
	if (want)
		assert_int_equal(id, want);
}

static void a_cgroup_may_be_asked_for_in_three_ways(void **state)
{
	__u64 pod = group_make("/pod"), one = group_make("/pod/one"), number = group_make("/123");
	char text[PATH_MAX];

	(void)state;
	assert_found("/pod/one", one);
	assert_found("pod", pod);
	assert_found("/", root_id());
	assert_found("/123", number);
	assert_found(path_below("/pod/one", text), one);
	snprintf(text, sizeof(text), "%llu", one);
	assert_found(text, one);
}

static void what_is_no_cgroup_is_not_found(void **state)
{
	(void)state;
	group_make("/pod");
	file_write("/pod/cgroup.procs", "");
	assert_found("/pods", 0);
	assert_found("/pod/cgroup.procs", 0);
	assert_found("18446744073709551615", 0);
	assert_found("/proc", 0);
	assert_found("/../../proc", 0);
}

static void the_mount_that_shows_most_is_taken(void **state)
{
	char mounts[PATH_MAX], text[4 * PATH_MAX], at[PATH_MAX], found[PATH_MAX];
	struct statfs fs;

	(void)state;
	group_make("/top");
	group_make("/top/own");
	assert_int_equal(statfs(root, &fs), 0);
	path_below("/top", at);
	path_below("/mounts", mounts);
	snprintf(text, sizeof(text),
		 "tmpfs %s tmpfs rw 0 0\nnone %s/own cgroup2 rw 0 0\nnone %s cgroup2 rw 0 0\n"
		 "none %s/gone cgroup2 rw 0 0\nnone %s/own cgroup2 rw 0 0\n",
		 root, at, at, root, at);
	file_write("/mounts", text);
	assert_int_equal(cgroup_root(mounts, fs.f_type, found), 0);
	assert_string_equal(found, at);
	assert_int_equal(cgroup_root(mounts, ~fs.f_type, found), -ENOENT);
	file_write("/mounts", "tmpfs / tmpfs rw 0 0\ncgroup / cgroup rw 0 0\n");
	assert_int_equal(cgroup_root(mounts, fs.f_type, found), -ENOENT);
	assert_int_equal(cgroup_root("/nowhere/mounts", fs.f_type, found), -ENOENT);
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_end)

static const struct CMUnitTest tests[] = {
	IN_TREE(a_name_is_the_path),
	IN_TREE(what_comes_later_needs_a_look),
	IN_TREE(the_gone_keep_their_names_for_a_look),
	IN_TREE(who_was_gone_has_an_id),
	IN_TREE(too_long_a_path_is_no_name),
	IN_TREE(many_have_names),
	IN_TREE(without_memory_it_says_so),
	IN_TREE(a_cgroup_may_be_asked_for_in_three_ways),
	IN_TREE(what_is_no_cgroup_is_not_found),
	IN_TREE(the_mount_that_shows_most_is_taken),
};

UNIT_GROUP(cgroupname, tests)
