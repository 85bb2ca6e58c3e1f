// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "events/recorder/holdings.h"
#include "events/sources/longwaits.h"
#include "events/sources/table.h"
#include "events/sources/witness_pins.h"
#include "events/sources/witness_ring.h"

#define SEEN_MAX 512

/**
 * struct census - programs and maps that were counted
 * @ids: programs by their ids, maps by theirs and @MAP_BIT
 * @nr: number of @ids
 * @memory: bytes of all
 */
struct census {
	__u64 ids[SEEN_MAX];
	__u32 nr;
	__u64 memory;
};

#define MAP_BIT (1ULL << 32)

static bool census_is_new(struct census *c, __u64 id)
{
	for (__u32 i = 0; i < c->nr; i++)
		if (c->ids[i] == id)
			return false;
	if (c->nr < SEEN_MAX)
		c->ids[c->nr++] = id;
	return true;
}

/* "memlock:	4096" */
static __u64 census_memory(int fd)
{
	unsigned long long bytes = 0;
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	if (f)
		fclose(f);
	return bytes;
}

static void census_map(struct census *c, __u32 id)
{
	int fd = census_is_new(c, MAP_BIT | id) ? bpf_map_get_fd_by_id(id) : -1;

	if (fd < 0)
		return;
	c->memory += census_memory(fd);
	close(fd);
}

/* The maps of a program have all the memory that its object has, pinned or not. */
static void census_prog(struct census *c, int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info), ids[64];

	info.nr_map_ids = sizeof(ids) / sizeof(ids[0]);
	info.map_ids = (uintptr_t)ids;
	if (bpf_prog_get_info_by_fd(fd, &info, &len) || !census_is_new(c, info.id))
		return;
	c->memory += census_memory(fd);
	for (__u32 i = 0; i < info.nr_map_ids && i < sizeof(ids) / sizeof(ids[0]); i++)
		census_map(c, ids[i]);
}

/**
 * struct counting - one source, while its programs are counted
 * @folder: its pins
 * @of: gets the numbers
 * @census: gets the memory
 */
struct counting {
	const char *folder;
	struct holding *of;
	struct census *census;
};

static void holding_prog(const char *prog, void *ctx)
{
	struct counting *c = ctx;
	int fd = witness_pins_prog(c->folder, prog);

	if (fd < 0)
		return;
	c->of->missed += witness_prog_missed(fd);
	census_prog(c->census, fd);
	close(fd);
}

static int holding_rings(const char *folder, struct holding *of)
{
	int fds[WITNESS_NR_MAPS], err = witness_pins_open(folder, fds);
	struct witness_rings *wr;

	if (err)
		return err;
	wr = witness_open(fds);
	err = wr ? 0 : -errno;
	for (int i = 0; i < WITNESS_NR_MAPS; i++)
		close(fds[i]);
	if (err)
		return err;
	of->written = witness_written(wr, &of->kept);
	of->unsure = witness_unsure(wr);
	witness_close(wr);
	return 0;
}

static __u32 holding_files(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	__u32 nr = 0;

	while (dir && (entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return nr;
}

/* Programs that report themselves use memory of their own, not rings of the recorder. */
static bool holding_is_memory(const char *name)
{
	for (int i = 0; trace_sources[i]; i++)
		if (!strcmp(trace_sources[i]->name, name))
			return source_is(trace_sources[i], SOURCE_PROG_MEMORY);
	return false;
}

static int holding_fill(struct holding *of, struct census *c, const char *folder, const char *name)
{
	char path[WITNESS_PINS_PATH];
	struct counting counting = { path, of, c };
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(of->source, sizeof(of->source), "%s", name);
	err = holding_rings(path, of) ?: witness_pins_progs(path, holding_prog, &counting);
	if (err)
		pr_err("%s: %s", path, strerror(-err));
	return err;
}

static int holding_read(struct holdings *h, struct census *c, const char *folder, const char *name)
{
	char path[WITNESS_PINS_PATH];
	int err;

	if (holding_is_memory(name)) {
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		h->rings = holding_files(path);
		return 0;
	}
	err = holding_fill(&h->of[h->nr], c, folder, name);
	h->nr += !err;
	return err;
}

int holdings_read(struct holdings *h, const char *folder, const char *sources, bool waits)
{
	struct census census = {};
	char *list = strdup(sources), *rest = list, *name;
	int err = list ? 0 : -ENOMEM;

	while (!err && h->nr < LINEUP_MAX && (name = strsep(&rest, ",")))
		err = holding_read(h, &census, folder, name);
	free(list);
	if (!err && waits)
		err = holding_fill(&h->waits, &census, folder, source_longwaits.name);
	h->memory = census.memory;
	return err;
}
