// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>

#include "kernel/probeobj.h"

static int probeobj_want(struct probe_bpf *skel, const char *name)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(skel->obj, name);

	return prog ? bpf_program__set_autoload(prog, true) : -ENOENT;
}

struct probe_bpf *probeobj_load(const char *one, const char *two)
{
	struct probe_bpf *skel = probe_bpf__open();
	int err;

	if (!skel)
		return NULL;
	err = probeobj_want(skel, one);
	if (!err && two)
		err = probeobj_want(skel, two);
	if (!err)
		err = probe_bpf__load(skel);
	if (!err)
		return skel;
	probe_bpf__destroy(skel);
	errno = -err;
	return NULL;
}

int probeobj_fd(struct probe_bpf *skel, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(skel->obj, name));
}

int probeobj_run(struct probe_bpf *skel, const char *name)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(probeobj_fd(skel, name), &opts);

	return err ?: (int)opts.retval;
}

int probeobj_attach(struct probe_bpf *skel, const char *name)
{
	struct bpf_object_skeleton *s = skel->skeleton;

	for (int i = 0; i < s->prog_cnt; i++) {
		struct bpf_prog_skeleton *p = &s->progs[i];

		if (strcmp(p->name, name))
			continue;
		*p->link = bpf_program__attach(*p->prog);
		return *p->link ? 0 : -errno;
	}
	return -ENOENT;
}
