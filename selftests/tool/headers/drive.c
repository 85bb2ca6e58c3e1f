// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Load objects and run their programs: a test program returns 0, or the line of its failed check;
 * one whose name begins with "deadlock_" returns -EDEADLK. usage: drive OBJECT...
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "../fallback/drive.h"
#include "../fallback/tap.h"
#include "check_contended.h"
#include "check_events.h"
#include "kernel/heldtab.h"

static void run_program(const struct bpf_object *obj, const char *file,
			const struct bpf_program *prog)
{
	const char *name = bpf_program__name(prog);
	int fd = bpf_program__fd(prog), got;

	if (!strncmp(name, "contended_", 10)) {
		if (!strcmp(name + strlen(name) - 3, "_ab"))
			check_contended(obj, name);
		return;
	}
	if (!strncmp(name, "events_", 7)) {
		check_events(obj, fd);
		return;
	}
	if (!strncmp(name, "reports_", 8))
		heldtab_arm_object((struct bpf_object *)obj);
	got = run_packets(fd, 1);
	tap_result(got == (strncmp(name, "deadlock_", 9) ? 0 : -EDEADLK), "%s: %s (returned %d)",
		   file, name, got);
}

static void run_object(const char *path)
{
	char copy[4096];
	const char *file;
	struct bpf_object *obj;
	struct bpf_program *prog;

	snprintf(copy, sizeof(copy), "%s", path);
	file = basename(copy);
	obj = bpf_object__open_file(path, NULL);
	if (!tap_result(obj && !bpf_object__load(obj), "%s: loads", file))
		goto close;
	bpf_object__for_each_program(prog, obj) run_program(obj, file, prog);
close:
	bpf_object__close(obj);
}

static bool kernel_has_locks(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf && btf__find_by_name_kind(btf, "bpf_res_spin_lock", BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

int main(int argc, char **argv)
{
	bool has = kernel_has_locks();

	for (int i = 1; i < argc; i++) {
		if (has)
			run_object(argv[i]);
		else
			tap_skip(argv[i], "this kernel has no bpf_res_spin_lock(): 6.15 or later");
	}
	return tap_end();
}
