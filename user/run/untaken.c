// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/if_ether.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "kernel/heldtab.h"
#include "rqspin/event.h"
#include "run/untaken.h"

/* Failures that the programs reported themselves. */
static uint64_t reports_count(const struct bpf_object *obj)
{
	const struct rqspin_ring *ring;
	struct bpf_map *map = heldtab_ring_map(obj);
	uint64_t nr;

	if (!map)
		return 0;
	ring = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (ring == MAP_FAILED)
		return 0;
	nr = ring->head;
	munmap((void *)ring, getpagesize());
	return nr;
}

static bool map_fillable(const struct bpf_map *map)
{
	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_LPM_TRIE:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		return true;
	default:
		return false;
	}
}

static bool map_empty(const struct bpf_map *map)
{
	void *key = calloc(1, bpf_map__key_size(map));
	int err = key ? bpf_map_get_next_key(bpf_map__fd(map), NULL, key) : 0;

	free(key);
	return err == -ENOENT;
}

static void maps_explain(const struct bpf_object *obj)
{
	const struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		if (map_fillable(map) && map_empty(map))
			pr_info("    map %s is empty, and look-ups in it return NULL: maps start "
				"empty here, so the program has to add what it does not find",
				bpf_map__name(map));
	}
}

static void packet_explain(const struct run_input *in)
{
	const struct ethhdr *eth = in->data;

	if (in->data_size < sizeof(*eth))
		pr_info("    the packet was 64 zero bytes, --data-in FILE gives another");
	else
		pr_info("    a packet of %u bytes with EtherType 0x%04x (IPv4 has 0x0800) may be "
			"too short, or not what the program looks for",
			in->data_size, ntohs(eth->h_proto));
}

/* Explains a packet once if the roles share its file. */
static void packets_explain(const struct drive *d)
{
	const struct run_input *told = NULL;

	for (unsigned int i = 0; i < d->nr_roles; i++) {
		if (!d->roles[i].batch || (told && d->inputs[i].data == told->data))
			continue;
		told = &d->inputs[i];
		packet_explain(told);
	}
}

void untaken_warn(const struct drive *d, const struct bpf_object *obj)
{
	uint64_t reports = reports_count(obj);

	if (reports) {
		pr_warn("no call of bpf_res_spin_lock() was reached, but the programs reported "
			"%" PRIu64 " failure%s, which 'rqspin trace' shows: a pair refuses two "
			"pointers to one lock without asking the kernel, and calls of the fallback "
			"lock are not counted",
			reports, reports == 1 ? "" : "s");
		return;
	}
	pr_warn("no lock was taken: no run reached a call of bpf_res_spin_lock()");
	packets_explain(d);
	maps_explain(obj);
}
