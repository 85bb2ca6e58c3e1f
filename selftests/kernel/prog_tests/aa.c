// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/aa.skel.h"

#define ROUNDS 23

/* The lock must work like a new one after any number of failures. */
static void test_repeated(void)
{
	struct aa_bpf *skel = aa_bpf__open();
	int i, retval, err;

	if (!CHECK(skel, "open: %s", strerror(errno)))
		return;
	bpf_program__set_autoload(skel->progs.aa_counted, true);
	err = aa_bpf__load(skel);
	if (!CHECK(!err, "load: %s", strerror(-err)))
		goto destroy;
	for (i = 0; i < ROUNDS; i++) {
		err = prog_run(skel->progs.aa_counted, &retval);
		if (!CHECK(!err && retval == -EDEADLK, "round %d: err %d retval %d", i, err,
			   retval))
			goto destroy;
	}
	CHECK_EQ(skel->bss->acquired, ROUNDS, "first acquisitions");
	CHECK_EQ(skel->bss->deadlocks, ROUNDS, "refused second acquisitions");
	CHECK_EQ(skel->bss->others, 0, "other results");
	check_locks_free(skel->obj);
destroy:
	aa_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "repeated", .run = test_repeated },
	{},
};

TEST_SUITE(aa, cases);
