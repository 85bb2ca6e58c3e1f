// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the kernel free what is in a list when the list's element is deleted? Under bpf_spin_lock it
 * must. Under bpf_res_spin_lock it must be as `rqspin doctor` says, which reads it in BTF.
 */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/nestfree.h"
#include "runner/runner.h"
#include "runner/bpf.h"
#include "selftests/progs/list_free.skel.h"

static int run(const struct bpf_program *prog)
{
	int retval = -1, err = prog_run(prog, &retval);

	CHECK(!err, "%s: %s", bpf_program__name(prog), strerror(-err));
	return retval;
}

/* How many owners an object has after its list is gone: 1 is the test itself. */
static int owners_left(struct list_free_bpf *skel, const struct bpf_map *map,
		       const struct bpf_program *push)
{
	char value[64] = {};
	__u32 key = 0;
	int fd = bpf_map__fd(map);

	CHECK(!bpf_map_update_elem(fd, &key, value, BPF_NOEXIST), "insert: %s", strerror(errno));
	CHECK_EQ(run(push), 0, "an object for the list");
	CHECK_EQ(run(skel->progs.owners), 2, "owners while it is in the list");
	CHECK(!bpf_map_delete_elem(fd, &key), "delete: %s", strerror(errno));
	return run(skel->progs.owners);
}

static struct list_free_bpf *load(void)
{
	struct list_free_bpf *skel = list_free_bpf__open_and_load();

	CHECK(skel, "load: %s", strerror(errno));
	return skel;
}

static void test_plain(void)
{
	struct list_free_bpf *skel = load();

	if (!skel)
		return;
	CHECK_EQ(owners_left(skel, skel->maps.plain, skel->progs.push_plain), 1, "owners");
	list_free_bpf__destroy(skel);
}

static void test_resilient(void)
{
	enum nest_free said = nest_free_here();
	struct list_free_bpf *skel;

	if (said == NEST_FREE_UNKNOWN) {
		test_skip("the kernel's BTF has no bpf_list_head_free()");
		return;
	}
	skel = load();
	if (!skel)
		return;
	CHECK_EQ(owners_left(skel, skel->maps.resilient, skel->progs.push_resilient),
		 said == NEST_FREE_LEAKS ? 2 : 1, "owners");
	list_free_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "plain", .run = test_plain },
	{ .name = "resilient", .run = test_resilient },
	{},
};

TEST_SUITE(list_free, cases);
