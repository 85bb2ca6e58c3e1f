// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/progplace.h"
#include "bpf/progplace.skel.h"

/* Runs the iterator program once over all loaded programs. */
static void progplace_read(struct progplace_bpf *skel)
{
	struct bpf_link *link = bpf_program__attach_iter(skel->progs.rqspin_place, NULL);
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	char nothing[8];

	while (fd >= 0 && read(fd, nothing, sizeof(nothing)) > 0)
		;
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
}

__u64 progplace_find(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	struct progplace_bpf *skel;
	__u64 place = 0;

	if (bpf_prog_get_info_by_fd(prog_fd, &info, &len))
		return 0;
	skel = progplace_bpf__open();
	if (!skel)
		return 0;
	skel->rodata->wanted_id = info.id;
	if (!progplace_bpf__load(skel)) {
		progplace_read(skel);
		place = skel->bss->place;
	}
	progplace_bpf__destroy(skel);
	return place;
}
