// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/arenamem.h"
#include "bpf/arenawords.skel.h"

#define OFFSETS (1U << 16) /* of an instruction: what they can reach is guarded on both sides */

struct arenamem {
	struct arenawords_bpf *skel;
	int map_fd;
};

static __u32 half_guard(void)
{
	__u32 two_pages = 2 * getpagesize();

	return (OFFSETS + two_pages - 1) / two_pages * two_pages / 2;
}

static int skel_load(struct arenamem *mem, __u32 map_id)
{
	mem->skel = arenawords_bpf__open();
	if (!mem->skel)
		return -errno;
	mem->skel->rodata->map_id = map_id;
	mem->skel->rodata->half_guard = half_guard();
	return arenawords_bpf__load(mem->skel);
}

/* Runs the iterator over all maps: reading it to its end calls the program for each. */
static int place_find(struct arenamem *mem)
{
	struct bpf_link *link = bpf_program__attach_iter(mem->skel->progs.rqspin_arena, NULL);
	char none;
	int fd, err;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	err = fd < 0 ? fd : 0;
	while (!err && read(fd, &none, sizeof(none)) < 0)
		if (errno != EINTR && errno != EAGAIN)
			err = -errno;
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return err;
}

static int check_place(const struct arenamem *mem, char *why, size_t size)
{
	if (!mem->skel->bss->kernel_start) {
		snprintf(why, size, "the kernel's BTF does not tell where arenas are");
		return -EOPNOTSUPP;
	}
	if (!mem->skel->bss->user_start) {
		snprintf(why, size,
			 "no process has mapped it yet, so it has no memory: load a program that "
			 "uses it");
		return -ENXIO;
	}
	return 0;
}

static int open_all(struct arenamem *mem, __u32 map_id, char *why, size_t size)
{
	int err;

	mem->map_fd = bpf_map_get_fd_by_id(map_id);
	if (mem->map_fd < 0) {
		err = -errno;
		snprintf(why, size, "the map is gone: %s", strerror(-err));
		return err;
	}
	err = skel_load(mem, map_id) ?: place_find(mem);
	if (!err)
		return check_place(mem, why, size);
	snprintf(why, size, "the program that reads arenas does not work here: %s", strerror(-err));
	return err;
}

struct arenamem *arenamem_open(__u32 map_id, char *why, size_t size)
{
	struct arenamem *mem = calloc(1, sizeof(*mem));
	int err;

	snprintf(why, size, "out of memory");
	if (!mem)
		return NULL;
	err = open_all(mem, map_id, why, size);
	if (!err)
		return mem;
	arenamem_close(mem);
	errno = -err;
	return NULL;
}

void arenamem_close(struct arenamem *mem)
{
	if (!mem)
		return;
	arenawords_bpf__destroy(mem->skel);
	if (mem->map_fd >= 0)
		close(mem->map_fd);
	free(mem);
}

__u64 arenamem_start(const struct arenamem *mem)
{
	return mem->skel->bss->user_start;
}

__u64 arenamem_size(const struct arenamem *mem)
{
	return mem->skel->bss->user_end - mem->skel->bss->user_start;
}

static int batch_read(struct arenamem *mem, struct arena_word *words, size_t nr)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	memcpy(mem->skel->bss->words, words, nr * sizeof(*words));
	mem->skel->bss->nr_words = nr;
	err = bpf_prog_test_run_opts(bpf_program__fd(mem->skel->progs.rqspin_arena_words), &opts);
	if (err)
		return err;
	memcpy(words, mem->skel->bss->words, nr * sizeof(*words));
	for (size_t i = 0; i < nr; i++)
		if (words[i].err && words[i].err != EFAULT)
			return -(int)words[i].err;
	return 0;
}

int arenamem_read(struct arenamem *mem, struct arena_word *words, size_t nr)
{
	int err = 0;

	for (size_t at = 0, now; !err && at < nr; at += now) {
		now = nr - at < ARENA_WORDS ? nr - at : ARENA_WORDS;
		err = batch_read(mem, words + at, now);
	}
	return err;
}
