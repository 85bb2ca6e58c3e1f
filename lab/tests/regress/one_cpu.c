// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What one CPU can do to itself. */
#include <stdio.h>

#include <kernel/bpf/rqspinlock.h>

#include "../../threads/lib/team.h"
#include "regress.h"

/* A waiter behind its own CPU returns only at the time limit; nothing else takes that long. */
#define AT_ONCE_NS (100 * NSEC_PER_MSEC)

static union lab_lock lock, other;

static struct res_cpu *this_res_cpu(void)
{
	return this_cpu_ptr(&res_cpu);
}

/* A second acquisition fails before it has become a waiter or touched the word. */
bool aa_at_once(const struct lab_ops *ops)
{
	u32 seq, word;
	bool ok;

	ops->init(&lock);
	if (!EXPECT(!ops->lock(&lock, NULL)))
		return false;
	seq = this_res_cpu()->wait[0].seq;
	word = lock.word;
	ok = EXPECT(ops->lock(&lock, NULL) == -EDEADLK) && EXPECT(last_kind == RES_KIND_AA) &&
	     EXPECT(this_res_cpu()->wait[0].seq == seq) && EXPECT(lock.word == word);
	ops->unlock(&lock, NULL);
	return ok && EXPECT(res_is_free(lock.word));
}

struct stepped {
	const struct lab_ops *ops;
	bool owned; /* between the end of the acquisition and the start of the release */
	u64 worst, got, refused;
	const char *fault;
};

static void step_blame(struct stepped *s, const char *fault)
{
	if (!s->fault)
		s->fault = fault;
}

/* In an NMI: tries the lock that the interrupted context acquires or releases, and a free lock. */
static void nmi_probe(void *arg)
{
	struct stepped *s = arg;
	u64 start = shim_clock();
	bool owned = s->owned;
	int err;

	err = s->ops->lock(&lock, NULL);
	if (!err) {
		s->got++;
		if (owned)
			step_blame(s, "acquired what the interrupted context owns");
		s->ops->unlock(&lock, NULL);
	} else {
		s->refused++;
		if (err != -EDEADLK)
			step_blame(s, "another error than -EDEADLK");
		if (res_is_free(lock.word))
			step_blame(s, "refused a free lock");
	}
	if (s->ops->lock(&other, NULL))
		step_blame(s, "refused a free lock that nobody is about");
	else
		s->ops->unlock(&other, NULL);
	s->worst = max(s->worst, shim_clock() - start);
}

static void lock_and_unlock(void *arg)
{
	struct stepped *s = arg;

	if (s->ops->lock(&lock, NULL)) {
		step_blame(s, "the interrupted context did not get the free lock");
		return;
	}
	s->owned = true;
	barrier();
	s->owned = false;
	s->ops->unlock(&lock, NULL);
}

/*
 * At any instruction of an acquisition or a release, attempts of an NMI return at once and are
 * right.
 */
bool unlock_nmi_order(const struct lab_ops *ops)
{
	struct stepped s = { .ops = ops };
	u64 steps;

	ops->init(&lock);
	ops->init(&other);
	steps = step_each(lock_and_unlock, nmi_probe, &s);
	if (s.fault)
		expect_true(false, s.fault);
	return !s.fault && EXPECT(steps > 10) && EXPECT(s.got > 0) && EXPECT(s.refused > 0) &&
	       EXPECT(s.worst < AT_ONCE_NS) && EXPECT(res_is_free(lock.word)) &&
	       EXPECT(res_is_free(other.word)) && EXPECT(!this_res_cpu()->nheld) &&
	       EXPECT(!this_res_cpu()->nwait);
}
