// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <pthread.h>

#include "events/session.h"
#include "unit.h"
#include "events/sources/witness_ring.h"

#define WRITES	   300000
#define SLOTS	   256
#define NR_DETAILS 16

/* The memory of one CPU. */
struct part {
	struct witness_head heads[2];
	struct witness slots[SLOTS];
	struct witness_report details[NR_DETAILS];
	__u64 published;
};

/* As bpf/witness.bpf.h does it. */
static void write_one(struct part *p)
{
	__u64 pos = __atomic_fetch_add(&p->heads[1].head, 1, __ATOMIC_SEQ_CST);
	__u64 nth = __atomic_fetch_add(&p->heads[1].details, 1, __ATOMIC_SEQ_CST);
	struct witness_report *d = &p->details[nth % NR_DETAILS];
	struct witness *slot = &p->slots[pos % SLOTS];

	__atomic_exchange_n(&slot->seq, 0, __ATOMIC_SEQ_CST);
	__atomic_exchange_n(&d->t.seq, 0, __ATOMIC_SEQ_CST);
	/* Filling it is most of a writer's time. */
	for (int i = 0; i < WITNESS_TEXT; i++)
		__atomic_store_n(&d->text[i], 0, __ATOMIC_RELAXED);
	d->text_len = pos;
	slot->ts_ns = pos;
	slot->lock = pos;
	slot->details = nth + 1;
	__atomic_exchange_n(&d->t.seq, pos + 1, __ATOMIC_SEQ_CST);
	__atomic_exchange_n(&slot->seq, pos + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&p->published, pos + 1, __ATOMIC_RELEASE);
}

static void *write_all(void *arg)
{
	for (int i = 0; i < WRITES; i++)
		write_one(arg);
	return NULL;
}

struct reader {
	__u64 nr, next, torn, disordered, with_details;
};

static void witness_note(const struct witness *w, const void *details,
			 const struct witness_names *names, void *ctx)
{
	const struct witness_report *d = details;
	struct reader *r = ctx;

	(void)names;
	r->nr++;
	r->torn += w->ts_ns != w->lock || (d && d->text_len != w->lock);
	r->with_details += !!d;
	r->disordered += w->ts_ns < r->next;
	r->next = w->ts_ns + 1;
}

static struct witness_rings *rings_over(struct part *p)
{
	struct witness_rings *wr = witness_over(&(struct witness_memory){
		.nr = 1,
		.slots = SLOTS,
		.nr_details = NR_DETAILS,
		.record_size = sizeof(p->slots[0]),
		.details_size = sizeof(p->details[0]),
		.heads = p->heads,
		.records = (const char *)p->slots,
		.details = (const char *)p->details,
	});

	assert_non_null(wr);
	return wr;
}

/* Also while the writer overwrites what the reader is about to take. */
static void a_poll_takes_what_was_there_before_it(void **state)
{
	static struct part p;
	struct witness_rings *wr = rings_over(&p);
	struct reader r = { 0 };
	__u64 before, late = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, write_all, &p), 0);
	do {
		before = __atomic_load_n(&p.published, __ATOMIC_ACQUIRE);
		witness_poll(wr, false, witness_note, &r);
		late += r.nr + witness_lost(wr) < before;
	} while (before < WRITES);
	pthread_join(thread, NULL);
	assert_int_equal(late, 0);
	assert_int_equal(r.torn, 0);
	assert_int_equal(r.disordered, 0);
	assert_int_equal(r.nr + witness_lost(wr), WRITES);
	assert_int_equal(r.with_details + witness_cut(wr), r.nr);
	witness_close(wr);
}

static void a_slot_without_a_number_is_waited_for(void **state)
{
	static struct part p;
	struct witness_rings *wr = rings_over(&p);
	struct reader r = { 0 };

	(void)state;
	write_one(&p);
	p.heads[1].head++; /* reserved only */
	witness_poll(wr, false, witness_note, &r);
	assert_int_equal(r.nr, 1);
	p.slots[1].ts_ns = p.slots[1].lock = 1;
	p.slots[1].seq = 2;
	witness_poll(wr, false, witness_note, &r);
	assert_int_equal(r.nr, 2);
	assert_int_equal(witness_lost(wr), 0);
	witness_close(wr);
}

/* While the first event is taken, writers come round to the second one's slot. */
static void witness_lap(const struct witness *w, const void *details,
			const struct witness_names *names, void *ctx)
{
	struct part *p = ctx;

	(void)w;
	(void)details;
	(void)names;
	for (int i = 2; i < SLOTS + 1; i++)
		write_one(p);
	p->heads[1].head++;
	p->slots[1].seq = 0;
}

static void an_event_that_is_being_overwritten_is_lost(void **state)
{
	static struct part p;
	struct witness_rings *wr = rings_over(&p);

	(void)state;
	write_one(&p);
	write_one(&p);
	witness_poll(wr, false, witness_lap, &p);
	assert_int_equal(witness_lost(wr), 1);
	witness_close(wr);
}

/* Small records first: a burst costs the details of the oldest. */
static void a_burst_costs_details_before_failures(void **state)
{
	static struct part p;
	struct witness_rings *wr = rings_over(&p);
	struct reader r = { 0 };

	(void)state;
	for (int i = 0; i < SLOTS; i++)
		write_one(&p);
	witness_poll(wr, false, witness_note, &r);
	assert_int_equal(r.nr, SLOTS);
	assert_int_equal(witness_lost(wr), 0);
	assert_int_equal(r.with_details, NR_DETAILS);
	assert_int_equal(witness_cut(wr), SLOTS - NR_DETAILS);
	witness_close(wr);
}

struct group {
	struct witness_group g;
	struct witness first;
};

static void note_lost(const struct witness *first, __u32 group, __u64 lost, void *ctx)
{
	__u64 *of_lock = ctx;

	(void)group;
	of_lock[first->lock] += lost;
}

/* The same CPU's, and all its failures are of group 3. */
static struct witness_rings *rings_with_group(struct part *p, struct group groups[WITNESS_GROUPS])
{
	struct witness_rings *wr = witness_over(&(struct witness_memory){
		.nr = 1,
		.slots = SLOTS,
		.nr_details = NR_DETAILS,
		.record_size = sizeof(p->slots[0]),
		.details_size = sizeof(p->details[0]),
		.group_size = sizeof(groups[0]),
		.heads = p->heads,
		.records = (const char *)p->slots,
		.details = (const char *)p->details,
		.groups = (const char *)groups,
	});

	assert_non_null(wr);
	groups[3] = (struct group){ { .key = 9, .ready = 1 }, { .lock = 1 } };
	p->heads[1].groups = 1;
	for (int i = 0; i < SLOTS; i++)
		p->slots[i].group = 4;
	return wr;
}

static void add_alike(struct part *p, struct group *group, int times)
{
	for (int i = 0; i < times; i++)
		write_one(p);
	group->g.count += times;
}

static __u64 lost_of_group(const struct witness_rings *wr)
{
	__u64 of_lock[3] = { 0 };

	witness_groups(wr, note_lost, of_lock);
	return of_lock[1];
}

/* Between two polls: those are read the next time, or lost then. */
static void what_came_after_a_poll_is_not_lost(void **state)
{
	static struct part p;
	static struct group groups[WITNESS_GROUPS];
	struct witness_rings *wr = rings_with_group(&p, groups);
	struct reader r = { 0 };

	(void)state;
	add_alike(&p, &groups[3], SLOTS + 100);
	witness_poll(wr, false, witness_note, &r);
	add_alike(&p, &groups[3], 50);
	assert_int_equal(witness_lost(wr), 100);
	assert_int_equal(lost_of_group(wr), 100);
	witness_poll(wr, false, witness_note, &r);
	assert_int_equal(r.nr, SLOTS + 50);
	assert_int_equal(lost_of_group(wr), 100);
	witness_close(wr);
}

/* A failure that has its place and is not counted yet: the sum and its parts wait for it. */
static void losses_and_their_groups_are_told_together(void **state)
{
	static struct part p;
	static struct group groups[WITNESS_GROUPS];
	struct witness_rings *wr = rings_with_group(&p, groups);
	struct reader r = { 0 };

	(void)state;
	add_alike(&p, &groups[3], SLOTS + 100);
	groups[3].g.count--;
	witness_poll(wr, false, witness_note, &r);
	assert_int_equal(r.nr, SLOTS);
	assert_int_equal(witness_lost(wr), 0);
	assert_int_equal(lost_of_group(wr), 0);
	groups[3].g.count++;
	witness_poll(wr, false, witness_note, &r);
	assert_int_equal(witness_lost(wr), 100);
	assert_int_equal(lost_of_group(wr), 100);
	groups[3].g.count++; /* nobody can wait for what comes after the last */
	witness_poll(wr, true, witness_note, &r);
	assert_int_equal(witness_lost(wr), 100);
	witness_close(wr);
}

/* What is overwritten is known by what it has in common with others. */
static void losses_are_known_by_group(void **state)
{
	static struct part p;
	static struct group groups[WITNESS_GROUPS] = {
		[3] = { { .key = 9, .count = SLOTS + 100, .ready = 1 }, { .lock = 1 } },
		[4] = { { .key = 11, .count = 7, .ready = 1 }, { .lock = 2 } },
		[5] = { { .key = 13, .count = 7 }, { .lock = 2 } }, /* its record is not complete */
	};
	struct witness_rings *wr = witness_over(&(struct witness_memory){
		.nr = 1,
		.slots = SLOTS,
		.nr_details = NR_DETAILS,
		.record_size = sizeof(p.slots[0]),
		.details_size = sizeof(p.details[0]),
		.group_size = sizeof(groups[0]),
		.heads = p.heads,
		.records = (const char *)p.slots,
		.details = (const char *)p.details,
		.groups = (const char *)groups,
	});
	__u64 of_lock[3] = { 0 };
	struct reader r = { 0 };

	(void)state;
	assert_non_null(wr);
	for (int i = 0; i < SLOTS + 107; i++)
		write_one(&p);
	for (int i = 0; i < SLOTS; i++)
		p.slots[i].group = i < 7 ? 5 : 4;
	witness_poll(wr, true, witness_note, &r);
	assert_int_equal(witness_lost(wr), 107);
	witness_groups(wr, note_lost, of_lock);
	assert_int_equal(of_lock[1], 107);
	assert_int_equal(of_lock[2], 0);
	witness_close(wr);
}

static void failures_on_new_cpus_are_lost(void **state)
{
	static struct part p;
	struct witness_rings *wr = rings_over(&p);

	(void)state;
	p.heads[0].others = 3;
	assert_int_equal(witness_lost(wr), 3);
	witness_close(wr);
}

static void without_a_table_nothing_is_known_to_be_held(void **state)
{
	struct witness w = { .kind = WITNESS_MAP_OP,
			     .map_id = 7,
			     .cpu = 2,
			     .err = -ETIMEDOUT,
			     .told = RQSPIN_TIMEOUT,
			     .nr_own = WITNESS_NO_TABLE };
	struct failure f = { 0 };

	(void)state;
	witness_failure(&w, NULL, &f);
	assert_int_equal(f.ev.nr_held, HELD_UNKNOWN);
	assert_int_equal(f.ev.owner_cpu, -1);
	assert_int_equal(f.ev.kind, RQSPIN_TIMEOUT);
	assert_int_equal(f.map_id, 7);
	f = (struct failure){ 0 };
	w.err = -EDEADLK;
	w.told = RQSPIN_UNKNOWN;
	witness_failure(&w, NULL, &f);
	assert_int_equal(f.ev.kind, RQSPIN_UNKNOWN);
	w.nr_own = 0;
	witness_failure(&w, NULL, &f);
	assert_int_equal(f.ev.nr_held, 0);
}

/* What the record has of the own table, the details being overwritten. */
static void without_details_the_kind_is_known(void **state)
{
	struct witness w = { .kind = WITNESS_REPORT,
			     .cpu = 2,
			     .err = -EDEADLK,
			     .lock = 0xb0,
			     .told = RQSPIN_AA,
			     .nr_own = 2,
			     .locks = { 0xa0, 0xb0 } };
	struct failure f = { 0 };

	(void)state;
	witness_failure(&w, NULL, &f);
	assert_int_equal(f.ev.kind, RQSPIN_AA);
	assert_int_equal(f.ev.parties, 1);
	assert_int_equal(f.ev.owner_cpu, 2);
	assert_int_equal(f.ev.nr_held, 2);
	assert_int_equal(f.ev.held[1], 0xb0);
	assert_false(f.some_held);
	w.nr_own = 7;
	witness_failure(&w, NULL, &f);
	assert_int_equal(f.ev.nr_held, WITNESS_NEWEST);
	assert_true(f.some_held);
}

static void the_owners_task_is_that_of_its_cpu(void **state)
{
	struct witness w = { .kind = WITNESS_REPORT, .err = -EDEADLK, .lock = 0xb0, .nr_own = 1 };
	struct witness_tables t = {
		.nr_tables = 2,
		.own = { .nr = 1, .locks = { 0xa0 } },
		.tables = { { .cpu = 3, .nr = 1, .locks = { 0xc0 }, .task = { 30, 31, "third" } },
			    { .cpu = 1,
			      .nr = 2,
			      .locks = { 0xb0, 0xa0 },
			      .task = { 7, 8, "owner" } } },
	};
	struct failure f = { 0 };

	(void)state;
	witness_failure(&w, &t, &f);
	assert_int_equal(f.ev.owner_cpu, 1);
	assert_true(f.owner.known);
	assert_int_equal(f.owner.pid, 7);
	assert_int_equal(f.owner.tid, 8);
	assert_string_equal(f.owner.comm, "owner");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_owners_task_is_that_of_its_cpu),
	cmocka_unit_test(a_burst_costs_details_before_failures),
	cmocka_unit_test(losses_are_known_by_group),
	cmocka_unit_test(what_came_after_a_poll_is_not_lost),
	cmocka_unit_test(losses_and_their_groups_are_told_together),
	cmocka_unit_test(failures_on_new_cpus_are_lost),
	cmocka_unit_test(without_details_the_kind_is_known),
	cmocka_unit_test(without_a_table_nothing_is_known_to_be_held),
	cmocka_unit_test(an_event_that_is_being_overwritten_is_lost),
	cmocka_unit_test(a_poll_takes_what_was_there_before_it),
	cmocka_unit_test(a_slot_without_a_number_is_waited_for),
};

UNIT_GROUP(witness_ring, tests)
