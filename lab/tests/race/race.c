// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A client without any atomics of its own, for ThreadSanitizer: only the order that the locks
 * establish protects its plain data. The sanitizer does not model the memory model of the kernel
 * (lab/proofs/litmus does), so this is a smoke test.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../threads/lib/team.h"
#include "../../locks/locks.h"

#define THREADS	    4
#define LOCKS	    3
#define YIELD_EVERY 20

struct guarded {
	union lab_lock lock;
	u64 count;
} __attribute__((aligned(LAB_ALIGN)));

struct race {
	const struct lab_ops *ops;
	u64 ns;
	struct guarded item[LOCKS];
	u64 done[THREADS][LOCKS];
	u64 failed[THREADS];
};

static void item_touch(struct race *r, int cpu, int i)
{
	r->item[i].count++;
	r->done[cpu][i]++;
}

/* Takes two locks in any order: deadlocks are part of the test. */
static void pair_take(struct race *r, int cpu, int i, int k)
{
	const struct lab_ops *ops = r->ops;

	if (ops->lock(&r->item[i].lock, NULL)) {
		r->failed[cpu]++;
		return;
	}
	item_touch(r, cpu, i);
	if (!ops->lock(&r->item[k].lock, NULL)) {
		item_touch(r, cpu, k);
		ops->unlock(&r->item[k].lock, NULL);
	} else {
		r->failed[cpu]++;
	}
	ops->unlock(&r->item[i].lock, NULL);
}

static void race_work(int cpu, void *arg)
{
	struct race *r = arg;
	unsigned int seed = cpu + 1;
	u64 end = shim_clock() + r->ns;

	while (shim_clock() < end) {
		int i = rand_r(&seed) % LOCKS;

		pair_take(r, cpu, i, (i + 1 + rand_r(&seed) % (LOCKS - 1)) % LOCKS);
	}
}

static bool race_run(const struct lab_ops *ops, int seconds)
{
	static struct race r;
	u64 sum, total = 0, failed = 0;
	bool ok = true;
	int i, cpu;

	memset(&r, 0, sizeof(r));
	r.ops = ops;
	for (i = 0; i < LOCKS; i++)
		ops->init(&r.item[i].lock);
	r.ns = seconds * NSEC_PER_SEC;
	lab_team(THREADS, race_work, &r);
	for (i = 0; i < LOCKS; i++) {
		for (sum = cpu = 0; cpu < THREADS; cpu++)
			sum += r.done[cpu][i];
		ok = ok && sum == r.item[i].count;
		total += sum;
	}
	for (cpu = 0; cpu < THREADS; cpu++)
		failed += r.failed[cpu];
	ok = ok && total && failed;
	printf("%s - %s: %llu acquisitions, %llu errors\n", ok ? "ok" : "not ok", ops->name,
	       (unsigned long long)total, (unsigned long long)failed);
	return ok;
}

int main(int argc, char **argv)
{
	int i, seconds = argc > 1 ? atoi(argv[1]) : 5, passed = 0, failed = 0;

	shim_init(THREADS);
	lab_real_time = false;
	shim_yield_every = YIELD_EVERY;
	for (i = 0; lab_locks[i]; i++) {
		if (!(lab_locks[i]->flags & LAB_OURS))
			continue;
		if (race_run(lab_locks[i], seconds))
			passed++;
		else
			failed++;
	}
	printf("\n%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
