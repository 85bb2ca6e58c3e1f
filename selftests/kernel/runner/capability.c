// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "base/shortage.h"
#include "kernel/runner/test.h"
#include "kernel/runner/capability.h"
#include "selftests/kernel/progs/capabilities.skel.h"

static bool capability_try(struct capabilities_bpf *skel, const char *name)
{
	int err = capabilities_bpf__load(skel);

	CHECK(!errno_is_shortage(-err), "capability %s: %s", name, strerror(-err));
	test_note("this kernel %s the capability %s", err ? "lacks" : "has", name);
	return !err;
}

bool kernel_can(const char *name)
{
	struct capabilities_bpf *skel = capabilities_bpf__open();
	struct bpf_program *prog;
	bool can = false;

	if (!CHECK(skel, "capabilities: %s", strerror(errno)))
		return false;
	prog = bpf_object__find_program_by_name(skel->obj, name);
	if (CHECK(prog, "no capability \"%s\" in progs/capabilities.bpf.c", name)) {
		bpf_program__set_autoload(prog, true);
		can = capability_try(skel, name);
	}
	capabilities_bpf__destroy(skel);
	return can;
}
