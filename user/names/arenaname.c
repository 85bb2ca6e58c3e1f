// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "mapaddr.h"
#include "names/arenaname.h"
#include "names/locktype.h"
#include "bpf/mapaddr.skel.h"

#define SECTION ".addr_space.1" /* of __arena variables, by compiler and libbpf */

static int read_one(int fd, __u32 map_id, struct arena *arena)
{
	struct mapaddr at;

	/* The kernel writes whole records into a buffer that has room for one. */
	while (read(fd, &at, sizeof(at)) == sizeof(at)) {
		if (at.map_id != map_id || at.part != MAPADDR_ARENA)
			continue;
		*arena = (struct arena){ at.base, at.size };
		return 0;
	}
	return -ENOENT;
}

int arenaname_find(__u32 map_id, struct arena *arena)
{
	struct mapaddr_bpf *skel = mapaddr_bpf__open();
	struct bpf_link *link = NULL;
	int fd = -1, err = -ENOENT;

	/* A kernel may refuse a program that is not needed here. */
	if (skel) {
		bpf_program__set_autoload(skel->progs.rqspin_measure, false);
		bpf_program__set_autoload(skel->progs.rqspin_read_key, false);
	}
	if (skel && !mapaddr_bpf__load(skel))
		link = bpf_program__attach_iter(skel->progs.rqspin_maps, NULL);
	if (link)
		fd = bpf_iter_create(bpf_link__fd(link));
	if (fd >= 0) {
		err = read_one(fd, map_id, arena);
		close(fd);
	}
	bpf_link__destroy(link);
	mapaddr_bpf__destroy(skel);
	return err;
}

bool arenaname_offset(const struct arena *arena, __u64 addr, __u64 *off)
{
	*off = (__u32)(addr - arena->start);
	if (!arena->start || *off >= arena->size)
		return false;
	return !(addr >> 32) || addr - arena->start == *off;
}

static __u64 at_end(const struct arena *arena, const struct btf_type *section)
{
	__u64 page = sysconf(_SC_PAGESIZE);
	__u64 size = (section->size + page - 1) / page * page;

	return size < arena->size ? arena->size - size : 0;
}

static void addr_add(struct arena_addrs *to, __u64 addr)
{
	/* An arena is mapped above 4 GiB; most constants of programs are smaller. */
	if (!(addr >> 32) || to->nr == ARENA_ADDRS)
		return;
	for (__u32 i = 0; i < to->nr; i++)
		if (to->addrs[i] == addr)
			return;
	to->addrs[to->nr++] = addr;
}

void arenaname_addrs_read(struct arena_addrs *to, const struct bpf_insn *insns, size_t nr)
{
	to->nr = 0;
	for (size_t i = 0; i + 1 < nr; i++) {
		if (insns[i].code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (!insns[i].src_reg)
			addr_add(to, (__u32)insns[i].imm | (__u64)(__u32)insns[i + 1].imm << 32);
		i++;
	}
}

static const struct btf_type *section_type(const struct btf *btf, __s32 *id)
{
	*id = btf ? btf__find_by_name_kind(btf, SECTION, BTF_KIND_DATASEC) : -ENOENT;
	return *id > 0 ? btf__type_by_id(btf, *id) : NULL;
}

struct arena_addrs *arenaname_addrs_of(int prog_fd, __u32 xlated_len, const struct btf *btf)
{
	struct bpf_prog_info info = { .xlated_prog_len = xlated_len };
	__u32 len = sizeof(info);
	struct arena_addrs *addrs;
	struct bpf_insn *insns;
	__s32 id;

	if (!section_type(btf, &id))
		return NULL;
	insns = calloc(1, xlated_len + 1);
	addrs = calloc(1, sizeof(*addrs));
	info.xlated_prog_insns = (uintptr_t)insns;
	if (insns && addrs && !bpf_prog_get_info_by_fd(prog_fd, &info, &len) &&
	    info.xlated_prog_insns && info.xlated_prog_len <= xlated_len)
		arenaname_addrs_read(addrs, insns, info.xlated_prog_len / sizeof(*insns));
	free(insns);
	return addrs;
}

/* Finds the beginning of the section. False if the program has no address in the arena. */
static bool section_find(const struct arena *arena, const struct btf_type *section,
			 const struct arena_addrs *addrs, __u64 *begin)
{
	__u64 end = at_end(arena, section), off;

	for (__u32 i = 0; addrs && i < addrs->nr; i++) {
		if (!arenaname_offset(arena, addrs->addrs[i], &off))
			continue;
		*begin = off >= end ? end : 0;
		return true;
	}
	return false;
}

bool arenaname_variables(const struct arena *arena, const struct btf *btf,
			 const struct arena_addrs *addrs, __u32 *section, __u64 *begin)
{
	const struct btf_type *t;
	__s32 id;

	t = section_type(btf, &id);
	if (!t || !section_find(arena, t, addrs, begin))
		return false;
	*section = id;
	return true;
}

void arenaname_path(const struct arena *arena, __u64 off, const struct btf *btf,
		    const struct arena_addrs *addrs, char *buf, size_t size)
{
	__u32 section;
	__u64 begin;

	*buf = 0;
	if (!arenaname_variables(arena, btf, addrs, &section, &begin))
		return;
	if (off >= begin && off - begin < btf__type_by_id(btf, section)->size)
		locktype_path_in(btf, section, true, off - begin, buf, size);
}
