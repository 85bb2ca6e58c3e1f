// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "trace.h"
#include "unit.h"
#include "witness_ring.h"

#define WRITES 300000

struct writer {
	struct witness_ring *ring;
	__u64 published;
};

/* As bpf/witness.bpf.h does it. */
static void write_one(struct writer *w)
{
	__u64 pos = __atomic_fetch_add(&w->ring->head, 1, __ATOMIC_SEQ_CST);
	struct witness *slot = &w->ring->slots[pos % WITNESS_SLOTS];

	__atomic_exchange_n(&slot->seq, 0, __ATOMIC_SEQ_CST);
	/* Filling a slot is most of a writer's time. */
	for (int i = 0; i < WITNESS_TEXT; i++)
		__atomic_store_n(&slot->text[i], 0, __ATOMIC_RELAXED);
	slot->ts_ns = pos;
	slot->lock = pos;
	__atomic_exchange_n(&slot->seq, pos + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&w->published, pos + 1, __ATOMIC_RELEASE);
}

static void *write_all(void *arg)
{
	for (int i = 0; i < WRITES; i++)
		write_one(arg);
	return NULL;
}

struct reader {
	__u64 nr, next, torn, disordered;
};

static void note(const struct witness *w, void *ctx)
{
	struct reader *r = ctx;

	r->nr++;
	r->torn += w->ts_ns != w->lock;
	r->disordered += w->ts_ns < r->next;
	r->next = w->ts_ns + 1;
}

static struct writer writer_new(void)
{
	struct witness_ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(ring, MAP_FAILED);
	return (struct writer){ .ring = ring };
}

/* Also while the writer overwrites what the reader is about to take. */
static void a_poll_takes_what_was_there_before_it(void **state)
{
	struct writer w = writer_new();
	struct witness_rings *wr = witness_over(w.ring, 1);
	struct reader r = { 0 };
	__u64 before, late = 0;
	pthread_t thread;

	(void)state;
	assert_non_null(wr);
	assert_int_equal(pthread_create(&thread, NULL, write_all, &w), 0);
	do {
		before = __atomic_load_n(&w.published, __ATOMIC_ACQUIRE);
		witness_poll(wr, note, &r);
		late += r.nr + witness_lost(wr) < before;
	} while (before < WRITES);
	pthread_join(thread, NULL);
	assert_int_equal(late, 0);
	assert_int_equal(r.torn, 0);
	assert_int_equal(r.disordered, 0);
	assert_int_equal(r.nr + witness_lost(wr), WRITES);
	witness_close(wr);
}

static void a_slot_without_a_number_is_waited_for(void **state)
{
	struct writer w = writer_new();
	struct witness_rings *wr = witness_over(w.ring, 1);
	struct reader r = { 0 };

	(void)state;
	assert_non_null(wr);
	write_one(&w);
	w.ring->head++; /* reserved only */
	witness_poll(wr, note, &r);
	assert_int_equal(r.nr, 1);
	w.ring->slots[1].ts_ns = w.ring->slots[1].lock = 1;
	w.ring->slots[1].seq = 2;
	witness_poll(wr, note, &r);
	assert_int_equal(r.nr, 2);
	assert_int_equal(witness_lost(wr), 0);
	witness_close(wr);
}

/* While the first event is taken, writers come round to the second one's slot. */
static void lap(const struct witness *w, void *ctx)
{
	struct writer *writer = ctx;

	(void)w;
	for (int i = 2; i < WITNESS_SLOTS + 1; i++)
		write_one(writer);
	writer->ring->head++;
	writer->ring->slots[1].seq = 0;
}

static void an_event_that_is_being_overwritten_is_lost(void **state)
{
	struct writer w = writer_new();
	struct witness_rings *wr = witness_over(w.ring, 1);

	(void)state;
	assert_non_null(wr);
	write_one(&w);
	write_one(&w);
	witness_poll(wr, lap, &w);
	assert_int_equal(witness_lost(wr), 1);
	witness_close(wr);
}

static void without_a_table_nothing_is_known_to_be_held(void **state)
{
	struct witness w = { .kind = WITNESS_MAP_OP, .map_id = 7, .cpu = 2 };
	struct failure f = { .ev.err = -ETIMEDOUT };

	(void)state;
	w.own.nr = WITNESS_NO_TABLE;
	witness_failure(&w, &f);
	assert_int_equal(f.ev.nr_held, HELD_UNKNOWN);
	assert_int_equal(f.ev.owner_cpu, -1);
	assert_int_equal(f.ev.kind, RQSPIN_TIMEOUT);
	assert_int_equal(f.map_id, 7);
	f = (struct failure){ .ev.err = -EDEADLK };
	witness_failure(&w, &f);
	assert_int_equal(f.ev.kind, RQSPIN_UNKNOWN);
	w.own.nr = 0;
	witness_failure(&w, &f);
	assert_int_equal(f.ev.nr_held, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(without_a_table_nothing_is_known_to_be_held),
	cmocka_unit_test(an_event_that_is_being_overwritten_is_lost),
	cmocka_unit_test(a_poll_takes_what_was_there_before_it),
	cmocka_unit_test(a_slot_without_a_number_is_waited_for),
};

UNIT_GROUP(witness_ring, tests)
