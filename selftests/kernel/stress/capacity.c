// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An element that was neither freed nor linked when a lock failed is lost, and
 * the map's capacity decreases. Empty a map, fill it again, and count.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "capacity.h"

static int capacity_verdict(const struct bpf_map *map, unsigned int have, unsigned int want)
{
	printf("# %s: %u of %u elements%s\n", bpf_map__name(map), have, want,
	       have == want ? "" : ": WRONG");
	return have == want;
}

static int run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static int map_empty(int fd)
{
	__u64 key;

	while (!bpf_map_get_next_key(fd, NULL, &key))
		if (bpf_map_delete_elem(fd, &key))
			return -errno;
	return 0;
}

static unsigned int count_keys(int fd)
{
	__u64 key, *prev = NULL;
	unsigned int n = 0;

	for (; !bpf_map_get_next_key(fd, prev, &key); prev = &key)
		n++;
	return n;
}

/* Retries after -ENOMEM: the allocator's cache has run low, and is being filled. */
static int map_update(int fd, const void *key)
{
	__u64 value = 1;
	int err = 0;

	for (int i = 0; i < 1000; i++) {
		err = bpf_map_update_elem(fd, key, &value, BPF_ANY) ? -errno : 0;
		if (err != -ENOMEM)
			break;
		usleep(1000);
	}
	return err;
}

/* In a full map, replacing an element takes the CPU's spare element. */
static int replace_everywhere(const struct bpf_map *map, const int *cpus, int nr)
{
	__u32 key = 0;
	int err = 0;

	for (int i = 0; i < 3 * nr && !err; i++) {
		run_on(cpus[i % nr]);
		err = map_update(bpf_map__fd(map), &key);
		if (err)
			printf("# %s: replacing on CPU %d: %s\n", bpf_map__name(map), cpus[i % nr],
			       strerror(-err));
	}
	return !err;
}

int capacity_hash(const struct bpf_map *map, const int *cpus, int nr)
{
	int err = map_empty(bpf_map__fd(map));
	__u32 key = 0;

	while (!err) {
		run_on(cpus[key % (unsigned int)nr]);
		err = map_update(bpf_map__fd(map), &key);
		key += !err;
	}
	if (err != -E2BIG)
		printf("# %s: %s\n", bpf_map__name(map), strerror(-err));
	return capacity_verdict(map, key, bpf_map__max_entries(map)) && err == -E2BIG &&
	       replace_everywhere(map, cpus, nr);
}

/* Insert new keys on one CPU, until the map has @want elements. */
static int fill_from(int fd, int cpu, unsigned int want)
{
	static __u32 key = 1 << 20;
	int err = run_on(cpu);

	for (unsigned int i = 0; i < 8 * want && !err && count_keys(fd) < want; i++, key++)
		err = map_update(fd, &key);
	return err;
}

/*
 * An LRU map is never full, it evicts. A map with a common list evicts only when
 * neither that list nor this CPU's has a free node, if it frees one at a time. It
 * does so with less than four nodes for each possible CPU. So when every CPU has
 * inserted until it had to evict, all nodes are in use.
 */
int capacity_lru(const struct bpf_map *map, const int *cpus, int nr)
{
	unsigned int want = bpf_map__max_entries(map);
	int fd = bpf_map__fd(map), err = map_empty(fd);

	for (int i = 0; i < nr && !err; i++)
		err = fill_from(fd, cpus[i], want);
	if (err)
		printf("# %s: %s\n", bpf_map__name(map), strerror(-err));
	return capacity_verdict(map, count_keys(fd), want);
}

/* All CPUs have the same number of nodes, each its own. */
int capacity_lru_cpu(const struct bpf_map *map, const int *cpus, int nr)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_map__fd(map), err = map_empty(fd);
	unsigned int each;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	each = info.max_entries / (unsigned int)libbpf_num_possible_cpus();
	for (int i = 0; i < nr && !err; i++)
		err = fill_from(fd, cpus[i], (unsigned int)(i + 1) * each);
	if (err)
		printf("# %s: %s\n", bpf_map__name(map), strerror(-err));
	return capacity_verdict(map, count_keys(fd), (unsigned int)nr * each);
}

int capacity_lpm(const struct bpf_map *map)
{
	struct {
		__u32 prefixlen, addr;
	} key = { .prefixlen = 32 };
	int fd = bpf_map__fd(map), err = map_empty(fd);

	while (!err) {
		err = map_update(fd, &key);
		key.addr += !err;
	}
	if (err != -ENOSPC)
		printf("# %s: %s\n", bpf_map__name(map), strerror(-err));
	return capacity_verdict(map, key.addr, bpf_map__max_entries(map)) && err == -ENOSPC;
}

int capacity_queue(const struct bpf_map *map)
{
	int fd = bpf_map__fd(map);
	unsigned int n = 0;
	__u64 value = 0;

	while (!bpf_map_lookup_and_delete_elem(fd, NULL, &value))
		;
	while (n <= bpf_map__max_entries(map) && !bpf_map_update_elem(fd, NULL, &value, BPF_ANY))
		n++;
	return capacity_verdict(map, n, bpf_map__max_entries(map));
}
