// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "names/proginfo.h"
#include "unit.h"

static void prog_recall(struct proginfos *ps, const char *name, __u64 start, __u64 when_ns)
{
	const struct proginfo_was was = { 5, name, start, start + 0x100, when_ns };

	assert_int_equal(proginfos_recall(ps, &was), 0);
}

static size_t nr_progs(struct proginfos *ps)
{
	size_t nr = 0;

	for (const struct proginfo *p = proginfos_first(ps); p; p = p->next)
		nr++;
	return nr;
}

/* Failures in several functions of one program, by turns. */
static void each_function_that_is_gone_is_kept_once(void **state)
{
	struct proginfos *ps = proginfos_open();
	const struct proginfo *p;
	__u32 nth;

	(void)state;
	assert_non_null(ps);
	for (__u64 when = 10; when < 20; when += 2) {
		prog_recall(ps, "one", 0x1000, when);
		prog_recall(ps, "two", 0x2000, when + 1);
	}
	assert_int_equal(nr_progs(ps), 2);
	for (__u64 when = 11; when < 19; when++) {
		p = proginfo_by_addr(proginfos_first(ps), 0x1010, when, &nth);
		assert_non_null(p);
		assert_string_equal(p->full_name, "one");
	}
	assert_null(proginfo_by_addr(proginfos_first(ps), 0x1010, 19, &nth));
	p = proginfo_by_addr(proginfos_first(ps), 0x2010, 19, &nth);
	assert_non_null(p);
	assert_string_equal(p->full_name, "two");
	proginfos_close(ps);
}

/* What else is loaded while the tests run is nobody's here. */
int __wrap_bpf_prog_get_next_id(__u32 start_id, __u32 *next_id);

int __wrap_bpf_prog_get_next_id(__u32 start_id, __u32 *next_id)
{
	(void)start_id;
	(void)next_id;
	return -ENOENT;
}

/* Sees programs that nobody can look at: each has the same memory, one after the other. */
struct seer {
	__u32 newest;
	bool blind;
	__u64 starts[1];
	__u32 sizes[1];
	char name[16];
};

static __u32 seer_newest(void *ctx)
{
	return ((struct seer *)ctx)->newest;
}

static bool seer_sees_all(void *ctx)
{
	return !((struct seer *)ctx)->blind;
}

static bool seer_brief(void *ctx, __u32 id, struct proginfo_brief *brief)
{
	struct seer *s = ctx;

	sprintf(s->name, "p%u", id);
	*brief = (struct proginfo_brief){
		.id = id,
		.name = s->name,
		.born_ns = now_ns() + id,
		.gone_ns = now_ns() + id,
		.starts = s->starts,
		.sizes = s->sizes,
		.nr_funcs = 1,
	};
	return !s->blind;
}

static void what_came_and_went_has_its_own_name(void **state)
{
	struct seer seer = { .newest = 1000, .starts = { 0x1000 }, .sizes = { 0x100 } };
	struct proginfos *ps = proginfos_open();
	const struct proginfo *p;
	__u64 when;
	__u32 nth;

	(void)state;
	assert_non_null(ps);
	proginfos_ask(ps,
		      &(struct proginfo_witness){ seer_newest, seer_sees_all, seer_brief, &seer });
	proginfos_scan(ps);
	/* Nobody asks for what was gone before the first scan, and of many for all. */
	assert_null(proginfos_first(ps));
	seer.newest += 400;
	proginfos_scan(ps);
	for (__u32 back = 0; back < 400; back += 100) {
		p = proginfos_by_id(ps, seer.newest - back);
		assert_non_null(p);
		assert_true(p->unread);
	}
	/* The latest that was there; those before it had the memory as well. */
	when = proginfos_first(ps)->born_ns;
	p = proginfo_by_addr(proginfos_first(ps), 0x1010, when, &nth);
	assert_non_null(p);
	assert_int_equal(p->id, seer.newest);
	p = proginfo_by_addr(proginfos_first(ps), 0x1010, when - 1, &nth);
	assert_non_null(p);
	assert_true(p->id < seer.newest);
	assert_null(proginfo_by_addr(proginfos_first(ps), 0x1200, when, &nth));
	proginfos_close(ps);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_came_and_went_has_its_own_name),
	cmocka_unit_test(each_function_that_is_gone_is_kept_once),
};

UNIT_GROUP(proginfo, tests)
