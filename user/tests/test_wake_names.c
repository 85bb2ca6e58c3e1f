// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "events/wake_names.h"
#include "unit.h"

/* As the kernel lays them out: perf_event_open(2). */
struct symbol {
	struct perf_event_header head;
	__u64 addr;
	__u32 len;
	__u16 type, flags;
	char name[48];
	__u64 when_ns;
};

struct prog {
	struct perf_event_header head;
	__u16 type, flags;
	__u32 id;
	__u8 tag[8];
	__u64 when_ns;
};

static struct symbol symbol_at(const char *name, __u64 addr)
{
	struct symbol s = { .head = { .type = PERF_RECORD_KSYMBOL, .size = sizeof(s) } };

	strcpy(s.name, name);
	s.addr = addr;
	s.len = 0x10;
	return s;
}

static struct symbol symbol_named(const char *name)
{
	return symbol_at(name, 0);
}

static struct prog prog_record(__u32 id)
{
	return (struct prog){
		.head = { .type = PERF_RECORD_BPF_EVENT, .size = sizeof(struct prog) },
		.type = PERF_BPF_EVENT_PROG_LOAD,
		.id = id,
		.when_ns = 100 * id,
		.tag = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef },
	};
}

#define TAG "bpf_prog_0123456789abcdef"

static void a_program_has_the_name_of_its_own_symbol(void **state)
{
	struct wake_names *wn = wake_names_new(2);
	struct {
		struct symbol other, own, sub;
		struct prog prog;
		struct symbol nameless;
		struct prog second;
	} r = {
		.other = symbol_named("bpf_trampoline_6442491529"),
		.own = symbol_named(TAG "_abba_0"),
		.sub = symbol_named("bpf_prog_ffffffffffffffff_helper"),
		.prog = prog_record(7),
		.nameless = symbol_named(TAG),
		.second = prog_record(8),
	};

	(void)state;
	wake_names_read(wn, 0, &r, sizeof(r));
	assert_string_equal(wake_names_find(wn, 7)->name, "abba_0");
	assert_string_equal(wake_names_find(wn, 8)->name, "");
	assert_null(wake_names_find(wn, 9));
	assert_int_equal(wake_names_newest(wn), 8);
	assert_null(wake_names_find(wn, 0));
	wake_names_free(wn);
}

static void a_symbol_of_another_program_names_nothing(void **state)
{
	struct wake_names *wn = wake_names_new(2);
	struct {
		struct symbol lost;
		struct prog prog;
	} r = { .lost = symbol_named("bpf_prog_ffffffffffffffff_aa"), .prog = prog_record(7) };

	(void)state;
	wake_names_read(wn, 0, &r, sizeof(r));
	assert_null(wake_names_find(wn, 7));
	/* Half a record, as after an overrun. */
	wake_names_read(wn, 0, &r, sizeof(r) - 1);
	wake_names_read(wn, 0, &r, 4);
	assert_null(wake_names_find(wn, 7));
	wake_names_free(wn);
}

static void a_program_has_its_code_and_times(void **state)
{
	struct wake_names *wn = wake_names_new(2);
	struct {
		struct symbol own, sub;
		struct prog loaded;
		struct symbol own_gone, sub_gone;
		struct prog gone;
	} r = {
		.own = symbol_at(TAG "_a_name_of_many_letters", 0x1000),
		.sub = symbol_at("bpf_prog_ffffffffffffffff_helper", 0x2000),
		.loaded = prog_record(7),
		.gone = prog_record(7),
	};
	const struct wake_prog *p;

	(void)state;
	r.own_gone = r.own;
	r.sub_gone = r.sub;
	r.gone.type = PERF_BPF_EVENT_PROG_UNLOAD;
	r.gone.when_ns = 900;
	wake_names_read(wn, 0, &r, sizeof(r));
	p = wake_names_find(wn, 7);
	assert_non_null(p);
	assert_string_equal(p->name, "a_name_of_many_");
	assert_string_equal(p->full_name, "a_name_of_many_letters");
	assert_int_equal(p->born_ns, 700);
	assert_int_equal(p->gone_ns, 900);
	assert_int_equal(p->nr_funcs, 2);
	assert_int_equal(p->starts[1], 0x2000);
	assert_int_equal(p->sizes[1], 0x10);
	wake_names_free(wn);
}

/* The loader of one program is stopped between its records, and another one goes on elsewhere. */
static void rings_do_not_mix(void **state)
{
	struct wake_names *wn = wake_names_new(2);
	struct {
		struct symbol own;
		struct prog loaded;
	} r = { .own = symbol_at(TAG "_aa", 0x1000), .loaded = prog_record(7) };
	struct prog bare = prog_record(8);

	(void)state;
	wake_names_read(wn, 1, &r.own, sizeof(r.own));
	r.own = symbol_at(TAG "_aa", 0x2000);
	wake_names_read(wn, 0, &r, sizeof(r));
	assert_int_equal(wake_names_find(wn, 7)->nr_funcs, 1);
	assert_int_equal(wake_names_find(wn, 7)->starts[0], 0x2000);
	/* Its symbol is on the other CPU. */
	wake_names_read(wn, 0, &bare, sizeof(bare));
	assert_null(wake_names_find(wn, 8));
	assert_int_equal(wake_names_newest(wn), 8);
	wake_names_free(wn);
}

static void lost_records_are_known(void **state)
{
	struct wake_names *wn = wake_names_new(1);
	struct {
		struct symbol own;
		struct perf_event_header lost;
		struct prog loaded;
	} r = {
		.own = symbol_named(TAG "_aa"),
		.lost = { .type = PERF_RECORD_LOST, .size = sizeof(r.lost) },
		.loaded = prog_record(7),
	};

	(void)state;
	assert_false(wake_names_lost(wn));
	wake_names_read(wn, 0, &r, sizeof(r));
	assert_null(wake_names_find(wn, 7));
	assert_true(wake_names_lost(wn));
	assert_false(wake_names_lost(wn));
	wake_names_free(wn);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_program_has_the_name_of_its_own_symbol),
	cmocka_unit_test(a_program_has_its_code_and_times),
	cmocka_unit_test(rings_do_not_mix),
	cmocka_unit_test(lost_records_are_known),
	cmocka_unit_test(a_symbol_of_another_program_names_nothing),
};

UNIT_GROUP(wake_names, tests)
