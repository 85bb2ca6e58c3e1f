// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "../../threads/lib/team.h"
#include "regress.h"

#define LIMIT_S 20

__thread u32 last_kind;
__thread u64 last_wait_ns;

static const struct test tests[] = {
	{ "AA at once", aa_at_once },
	{ "NMI on a wait: one trylock", nmi_trylock },
	{ "NMI alone: waits", nmi_alone_waits },
	{ "NMI at any instruction of unlock", unlock_nmi_order },
	{ "one entry for a contended lock", tas_single_entry },
	{ 0 },
};

static const struct test queue_tests[] = {
	{ "AA in front of a queue", aa_behind_a_queue },
	{ "queue kept on deadlock", keep_queue_on_deadlock },
	{ "tail reset of a kept queue", tail_reset_of_kept_queue },
	{ "tail that names no CPU", tail_of_no_cpu },
	{ "tail that names a CPU that does not wait", tail_of_an_idle_cpu },
	{ "leave behind a CPU that stands still", leave_behind_one_who_stands_still },
	{ 0 },
};

static const struct test limit_tests[] = {
	{ "limit from the last change of owners", limit_from_the_last_owner },
	{ "limit with interrupts off", limit_with_interrupts_off },
	{ "a clock that goes back", clock_that_goes_back },
	{ 0 },
};

/* Takes 8 s, and the code is the same for all locks. */
static const struct test bound = { "limit of all changes of owners", limit_of_all_changes };

static int passed, failed;

struct call {
	const struct test *test;
	const struct lab_ops *ops;
	bool ok;
};

static void on_failure(const struct shim_failure *f)
{
	last_kind = f->kind;
	last_wait_ns = f->wait_ns;
}

/* The first expectation that the running test missed. */
static const char *missed;

bool expect_true(bool ok, const char *what)
{
	if (!ok)
		__sync_bool_compare_and_swap(&missed, NULL, what);
	return ok;
}

/* Runs the test on the CPU with the highest number, which has no tag of its own in some builds. */
static void test_call(int cpu, void *arg)
{
	struct call *c = arg;

	if (cpu == 1)
		c->ok = c->test->run(c->ops);
}

static const struct call *running;

static void on_alarm(int sig)
{
	(void)sig;
	printf("not ok - %s, %s: hangs\n\n%d passed, %d failed, 0 skipped\n", running->ops->name,
	       running->test->name, passed, failed + 1);
	fflush(stdout);
	_exit(1);
}

static void test_run(const struct test *t, const struct lab_ops *ops, bool own_team)
{
	struct call c = { t, ops, false };

	running = &c;
	missed = NULL;
	alarm(LIMIT_S);
	if (own_team)
		c.ok = t->run(ops);
	else
		lab_team(2, test_call, &c);
	alarm(0);
	if (c.ok)
		passed++;
	else
		failed++;
	printf("%s - %s, %s%s%s\n", c.ok ? "ok" : "not ok", ops->name, t->name,
	       c.ok ? "" : ": not so: ", c.ok || !missed ? "" : missed);
	fflush(stdout);
}

int main(void)
{
	int i, k;

	shim_init(8);
	shim_on_failure = on_failure;
	signal(SIGALRM, on_alarm);
	for (i = 0; lab_locks[i]; i++) {
		if (!(lab_locks[i]->flags & LAB_OURS))
			continue;
		for (k = 0; tests[k].name; k++)
			test_run(&tests[k], lab_locks[i],
				 tests[k].run != aa_at_once && tests[k].run != unlock_nmi_order);
		for (k = 0; queue_tests[k].name && !(lab_locks[i]->flags & LAB_TAS); k++)
			test_run(&queue_tests[k], lab_locks[i], true);
		for (k = 0; limit_tests[k].name; k++)
			test_run(&limit_tests[k], lab_locks[i], true);
		if (lab_locks[i]->flags & LAB_TAS)
			test_run(&bound, lab_locks[i], true);
	}
	printf("\n%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
