// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* res_spin_lock() as users call it: by the kfunc if the kernel has it, else by the fallback. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <linux/types.h>
#include <bpf/bpf.h>
#include <rqspin/event.h>
#include <rqspin/res_fallback.h>
#include "drive.h"
#include "suites.h"
#include "tap.h"
#include "selftests/tool/fallback/api.skel.h"

#define AA_RUNS		 20
#define CROWD_RUNS	 2000 /* runs of each thread in one call */
#define CROWD_CALLS	 100
#define CROWD_SECONDS	 20
#define OPPOSED_RUNS	 2000
#define OPPOSED_CALLS	 50
#define WANTED_DEADLOCKS 10

static struct api_bpf *skel;
static const char *backend;

static void test_aa_and_event(void)
{
	const struct rqspin_ring *ring = &skel->bss_rqspin->rqspin_ring;
	const struct rqspin_event *ev = &ring->slots[0];
	bool kfunc = skel->bss->kfunc;

	tap_result(run_packets(bpf_program__fd(skel->progs.api_aa), 1) == -EDEADLK,
		   "%s: AA in a map value", backend);
	tap_result(ring->head == 1 && ev->seq == 1 && ev->err == -EDEADLK && ev->lock &&
			   !strcmp(ev->prog, "api_aa"),
		   "%s: its event", backend);
	if (!kfunc)
		tap_result(ev->kind == RQSPIN_AA && ev->parties == 1 &&
				   ev->owner_cpu == (int)ev->cpu,
			   "%s: kind and owner in the event", backend);
	tap_result(run_packets(bpf_program__fd(skel->progs.api_aa), AA_RUNS) == -EDEADLK &&
			   ring->head == AA_RUNS + 1,
		   "%s: AA again, the lock was free", backend);
	tap_result(run_packets(bpf_program__fd(skel->progs.api_aa_irqsave), AA_RUNS) == -EDEADLK,
		   "%s: AA, irqsave", backend);
	tap_result(run_packets(bpf_program__fd(skel->progs.api_global), AA_RUNS) == 0,
		   "%s: lock in a global", backend);
}

static void test_crowd(int cpus)
{
	struct job jobs[DRIVE_MAX] = { 0 };
	int i, calls, n = 2 * cpus < DRIVE_MAX ? 2 * cpus : DRIVE_MAX;
	time_t end = time(NULL) + CROWD_SECONDS;

	for (i = 0; i < n; i++)
		jobs[i] = (struct job){ .prog_fd = bpf_program__fd(skel->progs.api_crowd),
					.cpu = i % cpus,
					.packet = true,
					.rounds = CROWD_RUNS };
	/* A queue of virtual CPUs that share a real one is a thousand times slower. */
	for (calls = 0; calls < CROWD_CALLS && (!calls || time(NULL) < end); calls++)
		if (drive_jobs(jobs, n)) {
			tap_result(false, "%s: threads", backend);
			break;
		}
	tap_result(skel->bss->taken == (__u64)calls * n * CROWD_RUNS && !skel->bss->failed &&
			   !skel->bss->torn,
		   "%s: nobody else inside, %llu acquisitions, %llu failures", backend,
		   (unsigned long long)skel->bss->taken, (unsigned long long)skel->bss->failed);
}

/* AB against BA until enough rounds have met: every failure must be a deadlock. */
static void test_opposed(int cpus)
{
	struct job jobs[2] = { { .packet = true, .rounds = OPPOSED_RUNS },
			       { .packet = true, .rounds = OPPOSED_RUNS, .cpu = 1 } };
	int calls;

	if (cpus < 2) {
		tap_skip("AB against BA", "one CPU");
		return;
	}
	skel->bss->taken = 0;
	skel->bss->failed = 0;
	jobs[0].prog_fd = bpf_program__fd(skel->progs.api_ab);
	jobs[1].prog_fd = bpf_program__fd(skel->progs.api_ba);
	for (calls = 0; calls < OPPOSED_CALLS && skel->bss->failed < WANTED_DEADLOCKS; calls++)
		if (drive_jobs(jobs, 2))
			break;
	tap_result(skel->bss->failed >= WANTED_DEADLOCKS && !skel->bss->other_errors &&
			   skel->bss->taken + skel->bss->failed == calls * 2ULL * OPPOSED_RUNS,
		   "%s: AB against BA: %llu deadlocks, %llu acquisitions, %llu other errors",
		   backend, (unsigned long long)skel->bss->failed,
		   (unsigned long long)skel->bss->taken,
		   (unsigned long long)skel->bss->other_errors);
}

void test_api(int cpus)
{
	struct fb_args args = { 0 };

	skel = api_bpf__open_and_load();
	if (!tap_result(skel != NULL, "res_spin_lock(): load"))
		return;
	if (run_syscall(bpf_program__fd(skel->progs.api_backend), &args))
		tap_result(false, "which backend");
	tap_result(skel->rodata->limit_ns == 250000000, "the limit of the fallback is 250 ms");
	backend = skel->bss->kfunc ? "by the kfunc" : "by the fallback";
	test_aa_and_event();
	test_crowd(cpus);
	test_opposed(cpus);
	api_bpf__destroy(skel);
}
