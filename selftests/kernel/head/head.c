// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * head [--rounds N] [--expect-hang]: does a queue stop when an interrupt on the CPU of its head
 * waits for a lock whose owner is in that queue?
 *
 * A task owns a bpf_res_spin_lock, a second one has the pending bit, a third is the head of the
 * queue with interrupts on, and behind it waits a program that the scheduler runs with the lock of
 * its run queue held. On the head's CPU a timer expires whose interrupt wakes a task on that run
 * queue. Then the owner releases. A kernel with the fault hangs, so run this in a guest: exit
 * status 0 if all was as expected, 1 if not, 2 for a wrong call; TAP.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "head.h"
#include "selftests/kernel/head/head.bpf.skel.h"

#define FEATURES     "/sys/kernel/debug/sched/features"
#define STEP_MS	     3000  /* for a step that depends on no other CPU */
#define HANG_MS	     10000 /* longer than all time limits of the lock together */
#define TIMER_MS     30	   /* at first */
#define TIMER_MAX_MS 120   /* the waiters have limits of 250 and 500 ms */
#define TIMER_LATE   20	   /* the interrupt may come so much later */

enum outcome { OUTCOME_NONE, OUTCOME_PASSED, OUTCOME_HANG, OUTCOME_SKIPPED, OUTCOME_BROKEN };

/* Memory shared by the child, which may hang, with its parent. */
struct result {
	volatile enum outcome outcome;
	volatile int begun, told, rounds, staged, gave_up;
	char why[320];
};

struct worker {
	pthread_t thread;
	int cpu, prog_fd;
	sem_t go;
	bool started; /* in this round */
	volatile int err, done;
};

static struct result *result;
static struct head_bpf *skel;
static struct worker workers[HEAD_PARTIES];
static volatile int sleeper_done, timer_ms = TIMER_MS;
static volatile double timer_due;
static int timer_fd;

static double clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

__attribute__((noreturn, format(printf, 2, 3))) static void child_end(enum outcome outcome,
								      const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(result->why, sizeof(result->why), fmt, args);
	va_end(args);
	result->outcome = outcome;
	/* Do not exit: ending the stuck threads would take the lock of the same run queue. */
	while (outcome == OUTCOME_HANG)
		pause();
	_exit(0);
}

static void cpu_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) && cpu != HEAD_DRIVER)
		child_end(OUTCOME_SKIPPED, "CPU %d: %s", cpu, strerror(errno));
}

static int prog_result(int fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (bpf_prog_test_run_opts(fd, &opts))
		child_end(OUTCOME_BROKEN, "test run: %s", strerror(errno));
	return opts.retval;
}

/* Runs on the head's CPU, where the interrupt must come. */
static void timer_start(void)
{
	struct itimerspec when = { .it_value.tv_nsec = timer_ms * 1000000L };

	timer_due = clock_ms() + timer_ms;
	if (timerfd_settime(timer_fd, 0, &when, NULL))
		child_end(OUTCOME_BROKEN, "timerfd: %s", strerror(errno));
}

/*
 * A CPU that looks for tasks to take over locks the run queue of an overloaded CPU. The driver must
 * not get stuck there. Pinned real-time tasks are not moved.
 */
static void balance_avoid(void)
{
	struct sched_param first = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		child_end(OUTCOME_SKIPPED, "real-time priority: %s", strerror(errno));
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	cpu_pin(w->cpu);
	if (w->cpu == HEAD_BEHIND)
		balance_avoid();
	for (;;) {
		sem_wait(&w->go);
		if (w->cpu == HEAD_FIRST)
			timer_start();
		/* HEAD_BEHIND has no program to run: only the switch to this task is needed. */
		if (w->cpu != HEAD_BEHIND)
			w->err = prog_result(w->prog_fd);
		w->done = 1;
	}
	return NULL;
}

/* The task that the timer wakes. */
static void *sleeper_main(void *arg)
{
	__u64 ticks;

	(void)arg;
	cpu_pin(HEAD_BEHIND);
	balance_avoid();
	skel->bss->sleeper = gettid();
	while (read(timer_fd, &ticks, sizeof(ticks)) == sizeof(ticks))
		sleeper_done = 1;
	return NULL;
}

static unsigned int word_read(void)
{
	return prog_result(bpf_program__fd(skel->progs.read_word));
}

/* The word changes when somebody begins to wait. */
static bool word_await(unsigned int *word, double limit_ms)
{
	double end = clock_ms() + limit_ms;
	unsigned int was = *word;

	do {
		*word = word_read();
	} while (*word == was && clock_ms() < end);
	return *word != was;
}

static void worker_start(int party)
{
	if (workers[party].started)
		return;
	workers[party].started = true;
	sem_post(&workers[party].go);
}

/* All waiters in their places, and the timer has not expired yet. */
static bool round_stage(void)
{
	double end = clock_ms() + STEP_MS;
	unsigned int word;

	worker_start(HEAD_OWNER);
	while (!*(volatile __u32 *)&skel->bss->holding)
		if (clock_ms() > end)
			return false;
	word = word_read();
	worker_start(HEAD_NEXT);
	if (!word_await(&word, TIMER_MAX_MS))
		return false;
	worker_start(HEAD_FIRST);
	if (!word_await(&word, TIMER_MAX_MS))
		return false;
	*(volatile __u32 *)&skel->bss->armed = 1;
	worker_start(HEAD_BEHIND);
	return word_await(&word, TIMER_MAX_MS) && clock_ms() < timer_due;
}

/* Until the interrupt has come, or should have. */
static void round_await_timer(void)
{
	while (!*(volatile int *)&skel->bss->woken_by && clock_ms() < timer_due + TIMER_LATE)
		;
}

static bool round_over(void)
{
	int i;

	for (i = HEAD_OWNER; i < HEAD_PARTIES; i++)
		if (!workers[i].done)
			return false;
	return sleeper_done && *(volatile int *)&skel->bss->errors[HEAD_BEHIND];
}

/* Report which parties still wait, and on which CPU the interrupt came. */
__attribute__((noreturn)) static void hang_tell(void)
{
	int waker = *(volatile int *)&skel->bss->woken_by - 1;

	child_end(OUTCOME_HANG,
		  "round %d: owner %s, waiter beside the queue %s, head %s, waiter behind it %s; "
		  "the sleeper was woken on CPU %d (the head's is %d); the lock's word is %#x",
		  result->begun, workers[HEAD_OWNER].done ? "done" : "stuck",
		  workers[HEAD_NEXT].done ? "done" : "stuck",
		  workers[HEAD_FIRST].done ? "done" : "stuck",
		  *(volatile int *)&skel->bss->errors[HEAD_BEHIND] ? "done" : "stuck", waker,
		  HEAD_FIRST, word_read());
}

/* Start the parties that round_stage() did not start, and wait for all. */
static void round_finish(void)
{
	double end = clock_ms() + HANG_MS;
	int i;

	*(volatile __u32 *)&skel->bss->release = 1;
	if (!workers[HEAD_BEHIND].started)
		*(volatile __u32 *)&skel->bss->armed = 1;
	for (i = HEAD_OWNER; i < HEAD_PARTIES; i++)
		worker_start(i);
	while (!round_over()) {
		if (clock_ms() > end)
			hang_tell();
	}
}

static void round_begin(void)
{
	int i;

	for (i = 0; i < HEAD_PARTIES; i++) {
		workers[i].started = false;
		workers[i].done = 0;
		skel->bss->errors[i] = 0;
	}
	skel->bss->release = 0;
	skel->bss->holding = 0;
	skel->bss->woken_by = 0;
	sleeper_done = 0;
}

static void round_run(void)
{
	bool staged;

	result->begun++;
	/* Let the parent print first: a hang in this round may stop the guest's output. */
	while (result->told != result->begun)
		usleep(1000);
	round_begin();
	staged = round_stage();
	if (staged)
		round_await_timer();
	else if (timer_ms < TIMER_MAX_MS)
		timer_ms *= 2;
	round_finish();
	result->rounds++;
	result->staged += staged;
	result->gave_up += workers[HEAD_NEXT].err || workers[HEAD_FIRST].err ||
			   skel->bss->errors[HEAD_BEHIND] != 1;
}

/* With TTWU_QUEUE the wake-up is left to the other CPU, and its run queue is not locked. */
static void feature_set(void)
{
	FILE *f = fopen(FEATURES, "w");

	if (!f || fputs("NO_TTWU_QUEUE", f) < 0 || fclose(f))
		child_end(OUTCOME_SKIPPED, FEATURES ": %s", strerror(errno));
}

static void programs_load(void)
{
	const struct bpf_program *progs[HEAD_PARTIES];
	int i;

	skel = head_bpf__open_and_load();
	if (!skel)
		child_end(OUTCOME_SKIPPED, "this kernel refuses the programs: %s", strerror(errno));
	if (head_bpf__attach(skel))
		child_end(OUTCOME_SKIPPED, "programs cannot be attached: %s", strerror(errno));
	progs[HEAD_OWNER] = skel->progs.own;
	progs[HEAD_NEXT] = progs[HEAD_FIRST] = skel->progs.want;
	for (i = HEAD_OWNER; i < HEAD_BEHIND; i++)
		workers[i].prog_fd = bpf_program__fd(progs[i]);
}

static void threads_start(void)
{
	pthread_t sleeper;
	int i;

	timer_fd = timerfd_create(CLOCK_MONOTONIC, 0);
	if (timer_fd < 0)
		child_end(OUTCOME_BROKEN, "timerfd: %s", strerror(errno));
	for (i = HEAD_OWNER; i < HEAD_PARTIES; i++) {
		workers[i].cpu = i;
		sem_init(&workers[i].go, 0, 0);
		if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]))
			child_end(OUTCOME_BROKEN, "no thread");
	}
	if (pthread_create(&sleeper, NULL, sleeper_main, NULL))
		child_end(OUTCOME_BROKEN, "no thread");
	while (!*(volatile __u32 *)&skel->bss->sleeper)
		usleep(1000);
}

__attribute__((noreturn)) static void child_main(int rounds)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < HEAD_PARTIES)
		child_end(OUTCOME_SKIPPED, "needs %d CPUs", HEAD_PARTIES);
	feature_set();
	programs_load();
	threads_start();
	while (result->staged < rounds && result->rounds < 4 * rounds)
		round_run();
	if (!result->staged)
		child_end(OUTCOME_BROKEN, "in none of %d rounds were all waiters in their places",
			  result->rounds);
	child_end(OUTCOME_PASSED, "%d rounds, in %d of them a waiter gave up", result->rounds,
		  result->gave_up);
}

/* The child may be stuck in the kernel for ever: do not wait for its end. */
static void outcome_await(pid_t child)
{
	puts("TAP version 13\n1..1");
	while (!result->outcome) {
		/* Print before each round: nothing can follow if this CPU gets stuck as well. */
		if (result->told != result->begun) {
			printf("# round %d\n", result->begun);
			fflush(stdout);
			result->told = result->begun;
		}
		if (waitpid(child, NULL, WNOHANG) == child && !result->outcome) {
			result->outcome = OUTCOME_BROKEN;
			strcpy(result->why, "died");
		}
		usleep(10000);
	}
}

static int outcome_print(bool hang_expected)
{
	bool ok = result->outcome == (hang_expected ? OUTCOME_HANG : OUTCOME_PASSED);

	if (result->outcome == OUTCOME_SKIPPED) {
		printf("ok 1 - interrupted head # SKIP %s\n", result->why);
		puts("0 passed, 0 failed, 1 skipped");
		return 0;
	}
	printf("# %s%s\n", result->outcome == OUTCOME_HANG ? "hang: " : "", result->why);
	printf("%s 1 - interrupted head%s\n", ok ? "ok" : "not ok",
	       hang_expected ? ": this kernel hangs" : "");
	printf("%d passed, %d failed, 0 skipped\n", ok, !ok);
	return !ok;
}

static int call_wrong(void)
{
	fputs("usage: head [--rounds N] [--expect-hang]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "expect-hang", no_argument, NULL, 'x' },
		{},
	};
	int opt, rounds = 30, status;
	bool hang = false;
	pid_t child;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'r')
			rounds = atoi(optarg);
		else if (opt == 'x')
			hang = true;
		else
			return call_wrong();
	}
	if (rounds < 1 || optind < argc)
		return call_wrong();
	result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	child = result == MAP_FAILED ? -1 : fork();
	if (child < 0) {
		perror("head");
		return 1;
	}
	cpu_pin(HEAD_DRIVER);
	if (!child)
		child_main(rounds);
	outcome_await(child);
	status = outcome_print(hang);
	fflush(stdout);
	_exit(status);
}
