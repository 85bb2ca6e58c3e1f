// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "check/mapcycle.h"
#include "check/maphooks.h"
#include "check/mapops.h"
#include "errors/table.h"
#include "unit.h"

#define NR_MAPS 4

static struct check_map maps[NR_MAPS];
static struct check_prog progs[2];
static struct check_set set = { .progs = progs, .nr_progs = 2, .maps = maps, .nr_maps = NR_MAPS };

static void set_types(unsigned int type)
{
	for (__u32 i = 0; i < NR_MAPS; i++)
		maps[i] = (struct check_map){ .id = i + 1, .type = type };
}

static struct maplocks all_of(enum maplock_kind kind)
{
	struct maplocks locks = { 0 };

	for (int i = 0; i < MAPLOCK_NR; i++)
		locks.kinds[i] = kind;
	return locks;
}

static struct use use_of(__u32 map, const char *op)
{
	return (struct use){ .at.lock = { .kind = LOCK_MAP, .map = map }, .op = op };
}

static void names_are_operations(void **state)
{
	int reg = 0;

	(void)state;
	assert_string_equal(mapop_find("htab_lru_map_update_elem", &reg), "update");
	assert_int_equal(reg, BPF_REG_1);
	assert_string_equal(mapop_find("bpf_get_stackid_raw_tp", &reg), "get_stackid");
	assert_int_equal(reg, BPF_REG_2);
	assert_string_equal(mapop_find("bpf_ringbuf_reserve_dynptr", &reg), "reserve_dynptr");
	assert_null(mapop_find("bpf_ringbuf_submit", &reg));
	assert_null(mapop_find("htab_map_lookup_elem", &reg));
	assert_null(mapop_find("_update_elem", &reg));
}

static void flags_decide_on_the_free_list(void **state)
{
	struct check_map m = { .type = BPF_MAP_TYPE_HASH };

	(void)state;
	assert_int_equal(mapop_locks(&m, "update"), 1 << MAPLOCK_BUCKET | 1 << MAPLOCK_FREELIST);
	assert_int_equal(mapop_locks(&m, "delete"), 1 << MAPLOCK_BUCKET);
	m.flags = BPF_F_NO_PREALLOC;
	assert_int_equal(mapop_locks(&m, "update"), 1 << MAPLOCK_BUCKET);
	m.type = BPF_MAP_TYPE_PERCPU_ARRAY;
	assert_int_equal(mapop_locks(&m, "update"), 0);
}

static enum fate fate_of(unsigned int type, const char *op, enum maplock lock,
			 enum maplock_kind kind, bool nmi)
{
	struct maplocks locks = all_of(kind);
	struct use inner = use_of(0, op);
	struct mapnest n = { .inner = &inner, .lock = lock, .wants = lock, .nmi = nmi };

	set_types(type);
	return mapnest_fate(&set, &locks, &n);
}

static void the_table_says_what_hangs(void **state)
{
	static const struct {
		unsigned int type;
		const char *op;
		enum maplock lock;
		enum fate task, nmi, later;
	} rows[] = {
		{ BPF_MAP_TYPE_HASH, "update", MAPLOCK_BUCKET, FATE_FAILS, FATE_FAILS, FATE_FAILS },
		{ BPF_MAP_TYPE_HASH, "update", MAPLOCK_FREELIST, FATE_HANGS, FATE_NONE, FATE_NONE },
		{ BPF_MAP_TYPE_LRU_HASH, "update", MAPLOCK_LRU, FATE_HANGS, FATE_HANGS,
		  FATE_FAILS },
		{ BPF_MAP_TYPE_LRU_HASH, "delete", MAPLOCK_LRU, FATE_HANGS, FATE_HANGS, FATE_NONE },
		{ BPF_MAP_TYPE_LRU_HASH, "update", MAPLOCK_BUCKET, FATE_FAILS, FATE_FAILS,
		  FATE_FAILS },
		{ BPF_MAP_TYPE_LPM_TRIE, "update", MAPLOCK_LPM, FATE_HANGS, FATE_HANGS,
		  FATE_FAILS },
		{ BPF_MAP_TYPE_QUEUE, "pop", MAPLOCK_QUEUE, FATE_HANGS, FATE_FAILS, FATE_FAILS },
		{ BPF_MAP_TYPE_RINGBUF, "reserve", MAPLOCK_RINGBUF, FATE_HANGS, FATE_FAILS,
		  FATE_FAILS },
		{ BPF_MAP_TYPE_RINGBUF, "output", MAPLOCK_RINGBUF, FATE_HANGS, FATE_FAILS,
		  FATE_FAILS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int type = rows[i].type;
		const char *op = rows[i].op;
		enum maplock lock = rows[i].lock;

		assert_int_equal(fate_of(type, op, lock, MAPLOCK_PLAIN, false), rows[i].task);
		assert_int_equal(fate_of(type, op, lock, MAPLOCK_PLAIN, true), rows[i].nmi);
		assert_int_equal(fate_of(type, op, lock, MAPLOCK_LATER, true), rows[i].later);
		assert_int_equal(fate_of(type, op, lock, MAPLOCK_SERIES, false), rows[i].later);
		assert_int_equal(fate_of(type, op, lock, MAPLOCK_UNKNOWN, false), FATE_NONE);
	}
}

static unsigned int held_at(const char *section, unsigned int type, enum maplock_kind kind)
{
	struct maplocks locks = all_of(kind);
	struct use outer = use_of(0, type == BPF_MAP_TYPE_QUEUE ? "push" : "update"), inner = outer;
	struct ontop on;

	set_types(type);
	progs[0] = (struct check_prog){ .type = BPF_PROG_TYPE_XDP, .section = (char *)"xdp" };
	progs[1] = (struct check_prog){ .type = BPF_PROG_TYPE_KPROBE, .section = (char *)section };
	inner.at.prog = 1;
	on = maphook_find(&set, &locks, &outer, &inner);
	memset(progs, 0, sizeof(progs));
	return on.locks;
}

static void hooks_are_under_locks(void **state)
{
	static const char *const lists[] = {
		"kprobe/__bpf_lru_list_rotate_active",	 "kprobe/__bpf_lru_list_rotate_inactive",
		"kprobe/__bpf_lru_list_shrink_inactive", "kprobe/__local_list_flush",
		"kprobe/__local_list_pop_free",		 "kprobe/__local_list_pop_pending",
	};
	static const char *const frees[] = {
		"kprobe/check_and_free_fields",
		"kprobe/check_and_cancel_fields",
		"kprobe/bpf_obj_free_fields",
		"kprobe/bpf_obj_cancel_fields",
	};
	unsigned int lru = 1U << MAPLOCK_LRU, bucket = 1U << MAPLOCK_BUCKET;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_int_equal(held_at(lists[i], BPF_MAP_TYPE_LRU_HASH, MAPLOCK_LATER), lru);
	for (size_t i = 0; i < sizeof(frees) / sizeof(frees[0]); i++) {
		assert_int_equal(held_at(frees[i], BPF_MAP_TYPE_LRU_HASH, MAPLOCK_SERIES), lru);
		assert_int_equal(held_at(frees[i], BPF_MAP_TYPE_HASH, MAPLOCK_LATER), bucket);
		assert_int_equal(held_at(frees[i], BPF_MAP_TYPE_HASH, MAPLOCK_SERIES), 0);
	}
}

static void sections_say_which_end(void **state)
{
	static const struct {
		const char *section;
		bool held;
	} rows[] = {
		{ "kretprobe/_raw_spin_lock_irqsave", true },
		{ "?kretprobe/_raw_spin_lock_irqsave", true },
		{ "fsession/_raw_spin_lock_irqsave", true },
		{ "kprobe.session/_raw_spin_lock_irqsave", true },
		{ "kprobe/_raw_spin_lock_irqsave", false },
		{ "?kprobe/_raw_spin_unlock_irqrestore+0x4", true },
		{ "kretprobe/_raw_spin_unlock_irqrestore", false },
		{ "kretprobe/_raw_spin_lock_irqsave.constprop.0", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(held_at(rows[i].section, BPF_MAP_TYPE_QUEUE, MAPLOCK_PLAIN),
				 rows[i].held ? 1U << MAPLOCK_QUEUE : 0);
}

/* 0 on top of 1 on top of 2 on top of 0; 3 leads nowhere. */
static void circles_are_found_once(void **state)
{
	struct use uses[NR_MAPS];
	struct mapnest nests[NR_MAPS];
	struct mapnests all = { nests, NR_MAPS };
	struct maplocks locks = all_of(MAPLOCK_PLAIN);
	struct mapcycles cycles = { 0 };

	(void)state;
	set_types(BPF_MAP_TYPE_HASH);
	for (__u32 i = 0; i < NR_MAPS; i++) {
		uses[i] = use_of(i, "update");
		nests[i] = (struct mapnest){ .outer = &uses[i],
					     .inner = &uses[i < 2 ? i + 1 : 0],
					     .map = i,
					     .lock = MAPLOCK_BUCKET,
					     .wants = MAPLOCK_BUCKET };
	}
	assert_int_equal(mapcycle_find(&set, &locks, &all, NULL, &cycles), 0);
	assert_int_equal(cycles.nr, 1);
	assert_int_equal(cycles.all[0].nr, 3);
	assert_int_equal(mapcycle_find(&set, &locks, &all, NULL, &cycles), 0);
	assert_int_equal(cycles.nr, 1);
	mapcycle_free(&cycles);
	assert_int_equal(mapcycle_find(&set, &locks, &all, "other.o", &cycles), 0);
	assert_int_equal(cycles.nr, 0);
}

#define MANY_MAPS 120

/* On top of each map's operation are those of the next ones; round: the first comes last, too. */
static struct mapcycles circles_of_many(unsigned int nr, unsigned int further, bool round)
{
	static struct check_map many[MANY_MAPS];
	static struct use uses[MANY_MAPS];
	static struct mapnest nests[MANY_MAPS * MANY_MAPS];
	struct check_set large = { .progs = progs, .nr_progs = 2, .maps = many, .nr_maps = nr };
	struct maplocks locks = all_of(MAPLOCK_PLAIN);
	struct mapnests all = { nests, 0 };
	struct mapcycles cycles = { 0 };

	for (__u32 i = 0; i < nr; i++) {
		many[i] = (struct check_map){ .id = i + 1, .type = BPF_MAP_TYPE_HASH };
		uses[i] = use_of(i, "update");
	}
	for (__u32 i = 0; i < nr; i++)
		for (__u32 k = i + 1; k <= i + further && k < nr + round; k++)
			nests[all.nr++] = (struct mapnest){ .outer = &uses[i],
							    .inner = &uses[k % nr],
							    .map = i,
							    .lock = MAPLOCK_BUCKET,
							    .wants = MAPLOCK_BUCKET };
	assert_int_equal(mapcycle_find(&large, &locks, &all, NULL, &cycles), 0);
	return cycles;
}

static void circles_may_be_long(void **state)
{
	struct mapcycles cycles = circles_of_many(20, 1, true);

	(void)state;
	assert_int_equal(cycles.nr, 1);
	assert_int_equal(cycles.all[0].nr, 20);
	for (__u32 i = 0; i < 20; i++)
		assert_int_equal(cycles.all[0].nests[i]->map, i);
	assert_false(cycles.spent);
	mapcycle_free(&cycles);
}

static void a_search_has_an_end(void **state)
{
	struct mapcycles cycles = circles_of_many(30, 30, false);

	(void)state;
	assert_int_equal(cycles.nr, 0);
	assert_false(cycles.spent);
	cycles = circles_of_many(MANY_MAPS, MANY_MAPS, false);
	assert_int_equal(cycles.nr, 0);
	assert_true(cycles.spent);
	mapcycle_free(&cycles);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_are_operations),
	cmocka_unit_test(flags_decide_on_the_free_list),
	cmocka_unit_test(the_table_says_what_hangs),
	cmocka_unit_test(hooks_are_under_locks),
	cmocka_unit_test(sections_say_which_end),
	cmocka_unit_test(circles_are_found_once),
	cmocka_unit_test(circles_may_be_long),
	cmocka_unit_test(a_search_has_an_end),
};

UNIT_GROUP(check_maps, tests)
