// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tree.h"
#include "events/sources/witness_pins.h"
#include "unit.h"

static void make_file(const char *folder, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void a_tree_goes_as_a_whole(void **state)
{
	char folder[] = "/tmp/rqspin-tree-XXXXXX", inner[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(inner, sizeof(inner), "%s/inner", folder);
	assert_int_equal(mkdir(inner, 0700), 0);
	make_file(folder, "a");
	make_file(inner, "b");
	assert_int_equal(tree_remove(folder, 0), -ELOOP);
	assert_int_equal(tree_remove(folder, 1), 0);
	assert_int_equal(tree_remove(folder, 1), 0);
	assert_int_equal(access(folder, F_OK), -1);
}

/* Whatever the reason is that it cannot be pinned. */
static void what_cannot_be_pinned_leaves_nothing(void **state)
{
	char folder[] = "/tmp/rqspin-pins-XXXXXX", pins[64];
	struct bpf_object_skeleton skel = { .prog_cnt = 0 };
	int fds[WITNESS_NR_MAPS];

	(void)state;
	for (int i = 0; i < WITNESS_NR_MAPS; i++)
		fds[i] = -1;
	assert_non_null(mkdtemp(folder));
	snprintf(pins, sizeof(pins), "%s/mapops", folder);
	assert_true(witness_pins_make(pins, &skel, fds) < 0);
	assert_int_equal(rmdir(folder), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_tree_goes_as_a_whole),
	cmocka_unit_test(what_cannot_be_pinned_leaves_nothing),
};

UNIT_GROUP(witness_pins, tests)
