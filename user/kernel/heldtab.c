// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/heldtab.h"
#include "kernel/kernelbtf.h"
#include "kernel/ring_name.h"
#include "kernel/runqueues.h"
#include "rqspin/event.h"
#include "bpf/held.skel.h"

struct heldtab {
	struct held_bpf *skel;
	unsigned int nr_cpus;
};

static __s64 percpu_offset(const struct btf *btf, const struct btf_type *sec, const char *name)
{
	const struct btf_var_secinfo *var = btf_var_secinfos(sec);

	for (int i = 0; i < btf_vlen(sec); i++) {
		const struct btf_type *t = btf__type_by_id(btf, var[i].type);

		if (!strcmp(btf__name_by_offset(btf, t->name_off), name))
			return var[i].offset;
	}
	return -1;
}

__s64 heldtab_delta(void)
{
	static __s64 delta;
	static int asked;
	const struct btf *btf;
	__s64 from, to;
	int id;

	if (asked++)
		return delta;
	btf = kernelbtf_get();
	if (!btf)
		return 0;
	id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	if (id > 0) {
		from = percpu_offset(btf, btf__type_by_id(btf, id), "runqueues");
		to = percpu_offset(btf, btf__type_by_id(btf, id), "rqspinlock_held_locks");
		if (from >= 0 && to >= 0)
			delta = to - from;
	}
	return delta;
}

static int heldtab_run_prog(struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);

	if (err)
		return err;
	return (int)opts.retval;
}

static int heldtab_locate(struct heldtab *ht)
{
	__u64 *addrs = ht->skel->bss->held_addr;
	int err = runqueues_find(addrs);

	for (unsigned int cpu = 0; !err && cpu < ht->nr_cpus; cpu++)
		if (addrs[cpu])
			addrs[cpu] += heldtab_delta();
	return err;
}

static int heldtab_load(struct heldtab *ht, char *why, size_t size)
{
	int err;

	ht->skel = held_bpf__open();
	if (!ht->skel)
		return -errno;
	ht->skel->rodata->nr_cpus = ht->nr_cpus;
	ht->skel->rodata->delta = heldtab_delta();
	err = held_bpf__load(ht->skel);
	if (err) {
		snprintf(why, size, "the program that reads the tables does not load: %s",
			 strerror(-err));
		return err;
	}
	err = heldtab_locate(ht);
	if (err)
		snprintf(why, size,
			 "the tables cannot be found (kernel with neither "
			 "CONFIG_FAIR_GROUP_SCHED nor CONFIG_KALLSYMS_ALL?)");
	return err;
}

/* With our series the lock finds owners without a table, and reports them with each failure. */
static bool lock_tells_owners(void)
{
	const struct btf *btf = kernelbtf_get();

	return btf &&
	       btf__find_by_name_kind(btf, "btf_trace_rqspinlock_failure", BTF_KIND_TYPEDEF) > 0;
}

static void say_no_table(char *why, size_t size)
{
	snprintf(
		why, size, "%s",
		lock_tells_owners() ?
			"the lock of this kernel keeps no table of them: 'rqspin trace' shows the owner "
			"when an acquisition fails" :
			"the kernel's BTF has no per-CPU rqspinlock_held_locks (needs Linux 6.15 "
			"or later)");
}

struct heldtab *heldtab_open(char *why, size_t size)
{
	struct heldtab *ht = calloc(1, sizeof(*ht));
	int err;

	if (!ht)
		return NULL;
	snprintf(why, size, "out of memory");
	ht->nr_cpus = libbpf_num_possible_cpus();
	if (ht->nr_cpus > HELD_CPUS)
		ht->nr_cpus = HELD_CPUS;
	if (heldtab_delta()) {
		err = heldtab_load(ht, why, size);
	} else {
		err = -EOPNOTSUPP;
		say_no_table(why, size);
	}
	if (!err)
		return ht;
	heldtab_close(ht);
	errno = err < 0 ? -err : EIO;
	return NULL;
}

void heldtab_close(struct heldtab *ht)
{
	if (!ht)
		return;
	held_bpf__destroy(ht->skel);
	free(ht);
}

int heldtab_snapshot(struct heldtab *ht)
{
	return heldtab_run_prog(ht->skel->progs.rqspin_snapshot);
}

const struct held_cpu *heldtab_cpu(const struct heldtab *ht, unsigned int cpu)
{
	return &ht->skel->bss->held[cpu];
}

unsigned int heldtab_nr_cpus(const struct heldtab *ht)
{
	return ht->nr_cpus;
}

const __u64 *heldtab_addrs(const struct heldtab *ht)
{
	return ht->skel->bss->held_addr;
}

static int arm_map(int map_fd)
{
	struct rqspin_ring *ring;

	ring = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (ring == MAP_FAILED)
		return -errno;
	ring->held_delta = heldtab_delta();
	munmap(ring, getpagesize());
	return 0;
}

struct bpf_map *heldtab_ring_map(const struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		if (is_ring_name(bpf_map__name(map)))
			return map;
	}
	return NULL;
}

int heldtab_arm_object(struct bpf_object *obj)
{
	const struct bpf_map *map = heldtab_ring_map(obj);

	return map ? arm_map(bpf_map__fd(map)) : 0;
}
