// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* User space always reads a lock as zero, so a program reads the words. */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/lock_words.skel.h"

static bool is_lock(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, btf__resolve_type(btf, id));

	return t && btf_is_struct(t) &&
	       !strcmp(btf__name_by_offset(btf, t->name_off), "bpf_res_spin_lock");
}

/* Offset of the lock in a map's value, -1 if it has none. */
static int lock_offset(const struct btf *btf, __u32 value_id)
{
	const struct btf_type *t = btf__type_by_id(btf, value_id);
	int i;

	if (!t)
		return -1;
	for (i = 0; i < btf_vlen(t); i++) {
		if (btf_is_datasec(t)) {
			const struct btf_var_secinfo *v = btf_var_secinfos(t) + i;

			if (is_lock(btf, v->type))
				return v->offset;
		} else if (btf_is_composite(t) && is_lock(btf, btf_members(t)[i].type)) {
			return btf_member_bit_offset(t, i) / 8;
		}
	}
	return -1;
}

long percpu_offset(const char *name)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int sec_id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	int var_id = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	const struct btf_type *sec;
	long offset = -1;
	int i;

	if (sec_id < 0 || var_id < 0)
		goto free_btf;
	sec = btf__type_by_id(btf, sec_id);
	for (i = 0; i < btf_vlen(sec); i++) {
		if ((int)btf_var_secinfos(sec)[i].type == var_id)
			offset = btf_var_secinfos(sec)[i].offset;
	}
free_btf:
	btf__free(btf);
	return offset;
}

/* The lock of the patched 6.12 detects deadlocks without a table, and has this tracepoint. */
bool kernel_has_held_table(void)
{
	bool has = percpu_offset("rqspinlock_held_locks") >= 0;

	CHECK(has || kernel_has_tracepoint("rqspinlock_failure"),
	      "the kernel's BTF has no rqspinlock_held_locks");
	return has;
}

long held_table_delta(void)
{
	long held = percpu_offset("rqspinlock_held_locks"), rq = percpu_offset("runqueues");

	CHECK(held >= 0 && rq >= 0, "runqueues or rqspinlock_held_locks is not in the BTF");
	return held - rq;
}

/* Loads the program that looks at @map, with @map in the place of its own. */
static int lock_words_load(struct lock_words_bpf *skel, const struct bpf_map *map, int offset)
{
	int err;

	skel->rodata->lock_offset = offset;
	bpf_program__set_autoload(skel->progs.read_held_count, false);
	err = bpf_map__reuse_fd(skel->maps.looked_at, bpf_map__fd(map));
	return err ?: lock_words_bpf__load(skel);
}

/* The number of taken locks in @map; a check fails if they cannot be read. */
static int map_locks_taken(const struct bpf_map *map, int offset)
{
	struct lock_words_bpf *skel = lock_words_bpf__open();
	int taken = 0, seen = 0, err;

	if (!CHECK(skel, "lock_words: %s", strerror(errno)))
		return 0;
	err = lock_words_load(skel, map, offset);
	if (!CHECK(!err, "lock_words: load for %s: %s", bpf_map__name(map), strerror(-err)))
		goto destroy;
	err = prog_run(skel->progs.read_lock_words, &seen);
	CHECK(!err, "%s: reading its elements: %s", bpf_map__name(map), strerror(-err));
	CHECK_EQ(skel->bss->nr_seen, seen, bpf_map__name(map));
	if (bpf_map__type(map) == BPF_MAP_TYPE_ARRAY)
		CHECK_EQ(seen, bpf_map__max_entries(map), bpf_map__name(map));
	taken = (int)skel->bss->nr_taken;
	if (taken)
		test_note("map %s: %d locks are taken, last word 0x%x", bpf_map__name(map), taken,
			  skel->bss->last_word);
destroy:
	lock_words_bpf__destroy(skel);
	return taken;
}

static void check_held_table(void)
{
	struct lock_words_bpf *skel;
	int retval, err;

	if (!kernel_has_held_table())
		return;
	skel = lock_words_bpf__open();
	if (!CHECK(skel, "lock_words: %s", strerror(errno)))
		return;
	skel->rodata->held_delta = held_table_delta();
	bpf_program__set_autoload(skel->progs.read_lock_words, false);
	err = lock_words_bpf__load(skel);
	if (CHECK(!err, "lock_words: load: %s", strerror(-err))) {
		err = prog_run(skel->progs.read_held_count, &retval);
		CHECK(!err, "lock_words: run: %s", strerror(-err));
		CHECK_EQ(retval, 0, "locks this CPU still lists as held");
	}
	lock_words_bpf__destroy(skel);
}

int locks_taken(const struct bpf_object *obj)
{
	const struct btf *btf = bpf_object__btf(obj);
	const struct bpf_map *map;
	int offset, taken = 0;

	bpf_object__for_each_map(map, obj)
	{
		offset = lock_offset(btf, bpf_map__btf_value_type_id(map));
		if (offset >= 0)
			taken += map_locks_taken(map, offset);
	}
	return taken;
}

void check_locks_free(const struct bpf_object *obj)
{
	CHECK_EQ(locks_taken(obj), 0, "locks still taken");
	check_held_table();
}
