// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the kernel free what is in a list when the list's map goes? Under bpf_spin_lock it must.
 * Under bpf_res_spin_lock it must be as `rqspin doctor` says, which reads it in BTF.
 */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/nestfree.h"
#include "runner/runner.h"
#include "runner/bpf.h"
#include "selftests/progs/list_free.skel.h"

#define GIVE_UP_MS 30e3 /* maps are freed some time after their last user */

enum slot { RESILIENT, PLAIN };

static int run(const struct bpf_program *prog)
{
	int retval = -1, err = prog_run(prog, &retval);

	CHECK(!err, "%s: %s", bpf_program__name(prog), strerror(-err));
	return retval;
}

/* How many owners the object has: its list, and the slot itself. */
static int owners(struct list_free_bpf *skel, enum slot slot)
{
	skel->bss->slot = slot;
	return run(skel->progs.owners);
}

/* Programs to look with, which keep the objects when the lists are gone. */
static struct list_free_bpf *load_reader(const struct list_free_bpf *of)
{
	struct list_free_bpf *skel = list_free_bpf__open();

	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	bpf_program__set_autoload(skel->progs.push_resilient, false);
	bpf_program__set_autoload(skel->progs.push_plain, false);
	if (CHECK(!bpf_map__reuse_fd(skel->maps.kept, bpf_map__fd(of->maps.kept)) &&
			  !list_free_bpf__load(skel),
		  "load: %s", strerror(errno)))
		return skel;
	list_free_bpf__destroy(skel);
	return NULL;
}

static struct list_free_bpf *fill_and_drop(void)
{
	struct list_free_bpf *lists = list_free_bpf__open_and_load(), *reader;

	if (!CHECK(lists, "load: %s", strerror(errno)))
		return NULL;
	reader = load_reader(lists);
	CHECK_EQ(run(lists->progs.push_resilient), 0, "an object under bpf_res_spin_lock");
	CHECK_EQ(run(lists->progs.push_plain), 0, "an object under bpf_spin_lock");
	CHECK_EQ(owners(lists, RESILIENT), 2, "owners while it is in the list");
	CHECK_EQ(owners(lists, PLAIN), 2, "owners while it is in the list");
	list_free_bpf__destroy(lists);
	return reader;
}

static void await_freed(struct list_free_bpf *skel, enum slot slot, const char *what)
{
	double deadline = now_ms() + GIVE_UP_MS;
	int nr = owners(skel, slot);

	while (nr != 1 && now_ms() < deadline)
		nr = owners(skel, slot);
	CHECK_EQ(nr, 1, what);
}

static void test_as_doctor_says(void)
{
	enum nest_free said = nest_free_here();
	struct list_free_bpf *skel;

	if (said == NEST_FREE_UNKNOWN) {
		test_skip("the kernel's BTF has no bpf_list_head_free()");
		return;
	}
	skel = fill_and_drop();
	if (!skel)
		return;
	await_freed(skel, PLAIN, "owners of the object under bpf_spin_lock");
	if (said == NEST_FREE_DONE)
		await_freed(skel, RESILIENT, "owners of the object under bpf_res_spin_lock");
	else
		CHECK_EQ(owners(skel, RESILIENT), 2, "owners of an object that is leaked");
	list_free_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "as_doctor_says", .run = test_as_doctor_says },
	{},
};

TEST_SUITE(list_free, cases);
