// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "trace/wake.h"
#include "unit.h"

/* As the kernel lays them out: perf_event_open(2). */
struct symbol {
	struct perf_event_header head;
	__u64 addr;
	__u32 len;
	__u16 type, flags;
	char name[48];
};

struct prog {
	struct perf_event_header head;
	__u16 type, flags;
	__u32 id;
	__u8 tag[8];
};

static struct symbol symbol(const char *name)
{
	struct symbol s = { .head = { .type = PERF_RECORD_KSYMBOL, .size = sizeof(s) } };

	strcpy(s.name, name);
	return s;
}

static struct prog prog(__u32 id)
{
	return (struct prog){
		.head = { .type = PERF_RECORD_BPF_EVENT, .size = sizeof(struct prog) },
		.id = id,
		.tag = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef },
	};
}

#define TAG "bpf_prog_0123456789abcdef"

static void a_program_has_the_name_of_its_own_symbol(void **state)
{
	struct wake_names *wn = wake_names_new();
	struct {
		struct symbol other, own, sub;
		struct prog prog;
		struct symbol nameless;
		struct prog second;
	} r = {
		.other = symbol("bpf_trampoline_6442491529"),
		.own = symbol(TAG "_abba_0"),
		.sub = symbol("bpf_prog_ffffffffffffffff_helper"),
		.prog = prog(7),
		.nameless = symbol(TAG),
		.second = prog(8),
	};
	char name[WAKE_NAME] = "x";

	(void)state;
	wake_names_read(wn, &r, sizeof(r));
	assert_true(wake_names_find(wn, 7, name));
	assert_string_equal(name, "abba_0");
	assert_true(wake_names_find(wn, 8, name));
	assert_string_equal(name, "");
	assert_false(wake_names_find(wn, 9, name));
	assert_int_equal(wake_names_newest(wn), 8);
	assert_false(wake_names_find(wn, 0, name));
	free(wn);
}

static void a_symbol_of_another_program_names_nothing(void **state)
{
	struct wake_names *wn = wake_names_new();
	struct {
		struct symbol lost;
		struct prog prog;
	} r = { .lost = symbol("bpf_prog_ffffffffffffffff_aa"), .prog = prog(7) };
	char name[WAKE_NAME];

	(void)state;
	wake_names_read(wn, &r, sizeof(r));
	assert_false(wake_names_find(wn, 7, name));
	/* Half a record, as after an overrun. */
	wake_names_read(wn, &r, sizeof(r) - 1);
	wake_names_read(wn, &r, 4);
	assert_false(wake_names_find(wn, 7, name));
	free(wn);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_program_has_the_name_of_its_own_symbol),
	cmocka_unit_test(a_symbol_of_another_program_names_nothing),
};

UNIT_GROUP(wake, tests)
