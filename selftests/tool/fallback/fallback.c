// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Drives the fallback lock on any kernel from 5.17 on: with preemption stopped
 * while a lock is held, if BPF can do that, and with preemption on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <rqspin/event.h>
#include <rqspin/res_fallback.h>
#include "drive.h"
#include "suites.h"
#include "tap.h"
#include "selftests/tool/fallback/fallback.skel.h"

#define AA_RUNS		 1000
#define ROUNDS		 300
#define STALLED		 (ROUNDS / 100)
#define CROWD_TAKEN	 10000000ULL
#define IRQ_TAKEN	 1000000ULL
#define NOT_STUCK_ROUNDS 50
#define TIMEOUTS_ONE_IN	 100000
#define IRQ_WANTED	 1000
#define IRQ_CALLS	 100
#define PER_CALL	 5000
#define IRQ_PERIOD_NS	 100000
#define MS		 1000000ULL
#define LIMIT_MS	 250
/* A member that is preempted by a busy host must not look like one that never comes. */
#define CYCLE_LIMIT_MS 10000
#define BELOW_TRIES    10

static struct fallback_bpf *skel;
static int cpus;
static const char *mode;

static bool all_free(void)
{
	int i;

	for (i = 0; i < FB_LOCKS; i++)
		if (skel->bss->locks[i].word)
			return false;
	return true;
}

static int fd_of(struct bpf_program *prog)
{
	return bpf_program__fd(prog);
}

static void test_aa(void)
{
	int fd = fd_of(skel->progs.fb_aa), i, right = 0;
	const struct fb_seen *seen = &skel->bss->seen[1];
	struct fb_args args = { .first = 1 };

	for (i = 0; i < AA_RUNS; i++) {
		memset(&skel->bss->seen[1], 0, sizeof(*seen));
		right += run_syscall(fd, &args) == -EDEADLK && seen->kind == RQSPIN_AA &&
			 seen->parties == 1 && seen->wait_ns < 50 * MS && !seen->owner_wants;
	}
	tap_result(right == AA_RUNS && all_free(),
		   "%s: AA at once, %d of %d, the last after %llu ns", mode, right, AA_RUNS,
		   (unsigned long long)seen->wait_ns);
	tap_result(run_packets(fd_of(skel->progs.fb_aa_tc), AA_RUNS) == -EDEADLK && all_free(),
		   "%s: AA in tc", mode);
	tap_result(run_packets(fd_of(skel->progs.fb_aa_xdp), AA_RUNS) == -EDEADLK && all_free(),
		   "%s: AA in XDP", mode);
}

static void test_out_of_order(void)
{
	struct fb_args args = { .first = 0, .second = 1 };

	tap_result(run_syscall(fd_of(skel->progs.fb_out_of_order), &args) == 0 && all_free(),
		   "%s: release out of order", mode);
}

static __u64 waits[FB_LOCKS * ROUNDS];
static int nr_waits;

static void note_wait(__u64 ns)
{
	int i = __atomic_fetch_add(&nr_waits, 1, __ATOMIC_RELAXED);

	if (i < FB_LOCKS * ROUNDS)
		waits[i] = ns;
}

static int compare_u64(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static unsigned long long median_wait(void)
{
	int n = nr_waits < FB_LOCKS * ROUNDS ? nr_waits : FB_LOCKS * ROUNDS;

	qsort(waits, n, sizeof(*waits), compare_u64);
	return n ? waits[n / 2] : 0;
}

static int jobs_timeouts(const struct job *jobs, int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += jobs[i].timeouts;
	return sum;
}

/* The party with lock f waits for lock f + 1, whose owner runs on CPU f + 1 and waits for f + 2. */
static bool judge_cycle(const struct job *job, int err)
{
	const struct fb_seen *seen = &skel->bss->seen[job->args.first];
	__u32 n = job->args.parties, next = job->args.second;
	__u64 wants = skel->bss->seen_address + (next + 1) % n * sizeof(struct fb_lock);

	if (err == -ETIMEDOUT)
		return true; /* counted separately */
	note_wait(seen->wait_ns);
	return err == -EDEADLK && seen->parties == n && seen->owner_cpu == (int)next &&
	       seen->kind == (n == 2 ? RQSPIN_ABBA : RQSPIN_CYCLE) && seen->owner_wants == wants;
}

static void test_cycle(int n)
{
	struct job jobs[FB_LOCKS] = { 0 };
	int i, expired, victims = 0, others = 0, misjudged = 0;
	char name[64];

	snprintf(name, sizeof(name), "%s: cycle of %d, one victim per round", mode, n);
	if (cpus < n) {
		tap_skip(name, "not so many CPUs");
		return;
	}
	skel->bss->arrived = 0;
	nr_waits = 0;
	for (i = 0; i < n; i++) {
		jobs[i].prog_fd = fd_of(skel->progs.fb_cross);
		jobs[i].cpu = i;
		jobs[i].rounds = ROUNDS;
		jobs[i].judge = judge_cycle;
		jobs[i].args = (struct fb_args){ .first = i, .second = (i + 1) % n, .parties = n };
	}
	skel->bss->limit_ns = CYCLE_LIMIT_MS * MS;
	if (drive_jobs(jobs, n)) {
		tap_result(false, "%s: threads", name);
		return;
	}
	skel->bss->limit_ns = LIMIT_MS * MS;
	for (i = 0; i < n; i++) {
		victims += jobs[i].deadlocks;
		others += jobs[i].ok;
		misjudged += jobs[i].misjudged;
	}
	/*
	 * If virtual CPUs outnumber real ones, a member may be preempted for longer than
	 * the grace or the limit. Then the next member fails as well: in few rounds.
	 */
	expired = jobs_timeouts(jobs, n);
	tap_result(victims + expired >= ROUNDS && victims + expired <= ROUNDS + STALLED &&
			   expired <= STALLED && victims + expired + others == n * ROUNDS &&
			   all_free(),
		   "%s: %d victims, %d others got their lock, %d timeouts", name, victims, others,
		   expired);
	tap_result(!misjudged, "%s: what each victim saw; p50 of its wait %llu ns", name,
		   median_wait());
}

static int take_from_holder(__u64 hold_ns, struct fb_seen *seen)
{
	struct job holder = { .prog_fd = fd_of(skel->progs.fb_hold), .rounds = 1 };
	struct job taker = { .prog_fd = fd_of(skel->progs.fb_take), .cpu = 1, .rounds = 1 };
	struct job jobs[2] = { holder, taker };

	skel->bss->held = 0;
	jobs[0].args.hold_ns = hold_ns;
	jobs[1].after = &skel->bss->held;
	if (drive_jobs(jobs, 2))
		return -EAGAIN;
	*seen = skel->bss->seen[0];
	if (!jobs[0].ok)
		return -EINVAL;
	return jobs[1].ok ? 0 : jobs[1].timeouts ? -ETIMEDOUT : -EIO;
}

/* A holder that is preempted may exceed the limit: then try again. */
static int take_below_limit(struct fb_seen *seen)
{
	int err = -EAGAIN;

	for (int i = 0; i < BELOW_TRIES; i++) {
		err = take_from_holder((LIMIT_MS - 30) * MS, seen);
		if (skel->bss->held_ns < (LIMIT_MS - 5) * MS)
			break;
	}
	return err;
}

static void test_timeout(void)
{
	struct fb_seen seen;
	int err;

	if (cpus < 2) {
		tap_skip("timeout", "one CPU");
		return;
	}
	err = take_from_holder(8 * LIMIT_MS * MS, &seen);
	tap_result(err == -ETIMEDOUT && seen.kind == RQSPIN_TIMEOUT && seen.owner_cpu == 0 &&
			   seen.wait_ns >= LIMIT_MS * MS && all_free(),
		   "%s: timeout after %llu ms", mode, (unsigned long long)(seen.wait_ns / MS));
	err = take_below_limit(&seen);
	tap_result(err == 0 && all_free(), "%s: no timeout just below the limit, after %llu ms",
		   mode, (unsigned long long)(skel->bss->held_ns / MS));
}

static struct fb_counts counts_sum(const struct fb_counts *per_cpu)
{
	struct fb_counts all = { 0 };
	int i;

	for (i = 0; i < FB_MAX_CPUS; i++) {
		all.taken += per_cpu[i].taken;
		all.deadlocks += per_cpu[i].deadlocks;
		all.timeouts += per_cpu[i].timeouts;
		all.false_deadlocks += per_cpu[i].false_deadlocks;
	}
	return all;
}

static int crowd_run(__u64 taken)
{
	struct job jobs[DRIVE_MAX] = { 0 };
	int i, n = 2 * cpus < DRIVE_MAX ? 2 * cpus : DRIVE_MAX;

	for (i = 0; i < n; i++) {
		jobs[i].prog_fd = fd_of(skel->progs.fb_crowd);
		jobs[i].cpu = i % cpus;
		jobs[i].args.count = PER_CALL;
		/* Two steps make three acquisitions, some of which may fail. */
		jobs[i].rounds = taken / n / PER_CALL * 2 / 3 + 1;
	}
	return drive_jobs(jobs, n);
}

static __u64 guarded_sum(void)
{
	__u64 all = 0;
	int i;

	for (i = 0; i < FB_LOCKS; i++)
		all += skel->bss->guarded[i][0];
	return all;
}

static void test_crowd(void)
{
	struct fb_counts c;
	int err = crowd_run(CROWD_TAKEN);

	c = counts_sum(skel->bss->task_counts);
	tap_result(!err && c.taken >= CROWD_TAKEN && !skel->bss->torn && guarded_sum() == c.taken &&
			   all_free(),
		   "%s: nobody else inside, %llu acquisitions by two threads per CPU", mode,
		   (unsigned long long)c.taken);
	/* A timeout because a holder was preempted for the whole limit is no error of the lock. */
	tap_result(!c.deadlocks && c.timeouts <= c.taken / TIMEOUTS_ONE_IN,
		   "%s: no false deadlock: %llu deadlocks, %llu timeouts", mode,
		   (unsigned long long)c.deadlocks, (unsigned long long)c.timeouts);
}

static int open_clock(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = IRQ_PERIOD_NS,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int start_interrupts(struct bpf_program *prog, struct bpf_link **links, int n)
{
	int i, fd;

	for (i = 0; i < n; i++) {
		fd = open_clock(i);
		if (fd < 0)
			return -errno;
		links[i] = bpf_program__attach_perf_event(prog, fd);
		if (!links[i])
			return -errno;
	}
	return 0;
}

static bool few_timeouts(const struct fb_counts *task, const struct fb_counts *irq)
{
	return task->timeouts + irq->timeouts <= task->taken / TIMEOUTS_ONE_IN;
}

static void test_interrupts(void)
{
	struct bpf_link *links[FB_MAX_CPUS] = { 0 };
	struct fb_counts task, irq;
	const char *how = skel->rodata->shared_with_interrupts ? "the same locks" : "own locks";
	int err, i;

	err = start_interrupts(skel->progs.fb_interrupt, links, cpus);
	for (i = 0; !err && i < IRQ_CALLS && skel->bss->interrupts < IRQ_WANTED; i++)
		err = crowd_run(IRQ_TAKEN);
	for (i = 0; i < cpus; i++)
		bpf_link__destroy(links[i]);
	task = counts_sum(skel->bss->task_counts);
	irq = counts_sum(skel->bss->irq_counts);
	tap_result(!err && skel->bss->interrupts >= IRQ_WANTED && !skel->bss->torn &&
			   guarded_sum() == task.taken + irq.taken && all_free(),
		   "%s: interrupts take %s: %llu in the middle of a program, nobody else inside",
		   mode, how, (unsigned long long)skel->bss->interrupts);
	if (!skel->rodata->shared_with_interrupts) {
		tap_result(!task.false_deadlocks && !irq.false_deadlocks &&
				   few_timeouts(&task, &irq),
			   "%s: interrupts take %s: no false deadlock, %llu timeouts", mode, how,
			   (unsigned long long)(task.timeouts + irq.timeouts));
		return;
	}
	tap_result(irq.deadlocks > 0, "%s: an interrupt finds its own CPU's lock", mode);
	/*
	 * Two interrupts may each wait for a task that was preempted below the other: no
	 * wait record shows that, so with preemption on only the limit ends the wait.
	 */
	if (skel->rodata->stop_preemption)
		tap_result(few_timeouts(&task, &irq), "%s: %llu deadlocks, %llu timeouts", mode,
			   (unsigned long long)(task.deadlocks + irq.deadlocks),
			   (unsigned long long)(task.timeouts + irq.timeouts));
}

/* CPU 0 waits for lock 1 and is interrupted; CPU 1 has lock 1 and wants the interrupt's lock. */
static void test_not_stuck(void)
{
	struct job jobs[2] = { 0 };
	struct bpf_link *link = NULL;
	int err, deadlocks, timeouts;

	if (cpus < 2) {
		tap_skip("an interrupted waiter is not stuck", "one CPU");
		return;
	}
	jobs[0].prog_fd = fd_of(skel->progs.fb_take);
	jobs[0].after = &skel->bss->held;
	jobs[0].args.first = 1;
	jobs[1].prog_fd = fd_of(skel->progs.fb_not_stuck);
	jobs[1].cpu = 1;
	jobs[0].rounds = jobs[1].rounds = NOT_STUCK_ROUNDS;
	jobs[0].args.parties = jobs[1].args.parties = 2;
	skel->bss->held = 0;
	err = start_interrupts(skel->progs.fb_hold_above, &link, 1);
	if (!err)
		err = drive_jobs(jobs, 2);
	bpf_link__destroy(link);
	/* Rounds in which the interrupt ended before CPU 1 looked are not relevant (other). */
	timeouts = jobs[0].timeouts + jobs[1].timeouts;
	deadlocks = jobs[0].deadlocks + jobs[1].deadlocks +
		    (int)skel->bss->irq_counts[0].false_deadlocks;
	tap_result(
		!err && !deadlocks && !timeouts && jobs[1].ok >= NOT_STUCK_ROUNDS / 2 &&
			jobs[0].ok == NOT_STUCK_ROUNDS &&
			jobs[1].ok + jobs[1].other == NOT_STUCK_ROUNDS && all_free(),
		"%s: an interrupted waiter is not stuck: %d and %d of %d, %d false deadlocks, %d timeouts, %llu interrupts",
		mode, jobs[0].ok, jobs[1].ok, NOT_STUCK_ROUNDS, deadlocks, timeouts,
		(unsigned long long)skel->bss->interrupts);
}

static bool fallback_load(bool stop_preemption, bool shared)
{
	skel = fallback_bpf__open();
	if (!skel)
		return false;
	skel->rodata->stop_preemption = stop_preemption;
	skel->rodata->shared_with_interrupts = shared;
	skel->bss->limit_ns = LIMIT_MS * MS;
	if (!fallback_bpf__load(skel))
		return true;
	fallback_bpf__destroy(skel);
	skel = NULL;
	return false;
}

static void find_addresses(void)
{
	struct fb_args args = { 0 };

	run_syscall(fd_of(skel->progs.fb_where), &args);
}

static bool kernel_stops_preemption(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf && btf__find_by_name_kind(btf, "bpf_preempt_disable", BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

static void test_mode(bool stop_preemption)
{
	int n;

	mode = stop_preemption ? "preemption stopped" : "preemption as it is";
	if (!tap_result(fallback_load(stop_preemption, false), "%s: load", mode))
		return;
	find_addresses();
	test_aa();
	test_out_of_order();
	for (n = 2; n <= FB_LOCKS; n++)
		test_cycle(n);
	test_timeout();
	test_not_stuck();
	memset(skel->bss->irq_counts, 0, sizeof(skel->bss->irq_counts));
	test_crowd();
	fallback_bpf__destroy(skel);
	for (n = 0; n < 2; n++) {
		if (n && !stop_preemption && kernel_stops_preemption()) {
			tap_skip("interrupts take the locks of preemptible owners",
				 "docs/backends.md says not to: every such wait lasts the limit");
			return;
		}
		if (!tap_result(fallback_load(stop_preemption, n), "%s: load for interrupts", mode))
			return;
		test_interrupts();
		fallback_bpf__destroy(skel);
	}
}

int main(void)
{
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (cpus > FB_MAX_CPUS)
		cpus = FB_MAX_CPUS;
	if (kernel_stops_preemption())
		test_mode(true);
	else
		tap_skip("preemption stopped", "no bpf_preempt_disable(): Linux 6.10 has it");
	test_mode(false);
	test_api(cpus);
	return tap_end();
}
