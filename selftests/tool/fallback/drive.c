// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <sched.h>
#include <bpf/bpf.h>
#include "drive.h"

#define RUN_FAILED 1000 /* the errno is added; no program returns such a value */

int run_syscall(int prog_fd, struct fb_args *args)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(*args));

	if (bpf_prog_test_run_opts(prog_fd, &opts))
		return RUN_FAILED + errno;
	return (int)opts.retval;
}

int run_packets(int prog_fd, int repeat)
{
	char packet[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = repeat);

	if (bpf_prog_test_run_opts(prog_fd, &opts))
		return RUN_FAILED + errno;
	return (int)opts.retval;
}

static void job_tally(struct job *job, int err)
{
	if (!err)
		job->ok++;
	else if (err == -EDEADLK)
		job->deadlocks++;
	else if (err == -ETIMEDOUT)
		job->timeouts++;
	else
		job->other++;
	if (err && job->judge && !job->judge(job, err))
		job->misjudged++;
}

static void thread_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *job_work(void *arg)
{
	struct job *job = arg;
	int round;

	thread_pin(job->cpu);
	if (job->packet) {
		pthread_barrier_wait(job->start);
		job_tally(job, run_packets(job->prog_fd, job->rounds));
		return NULL;
	}
	for (round = 1; round <= job->rounds; round++) {
		job->args.round = round;
		/* No party may take a lock of the next round while this round goes on. */
		if (job->args.parties || round == 1)
			pthread_barrier_wait(job->start);
		while (job->after && *job->after < (__u32)round)
			sched_yield();
		job_tally(job, run_syscall(job->prog_fd, &job->args));
	}
	return NULL;
}

int drive_jobs(struct job *jobs, int n)
{
	pthread_barrier_t start;
	int i, err = 0;

	pthread_barrier_init(&start, NULL, n);
	for (i = 0; i < n; i++) {
		jobs[i].start = &start;
		err = pthread_create(&jobs[i].thread, NULL, job_work, &jobs[i]);
		if (err)
			return -err; /* the other threads wait for ever; the caller gives up */
	}
	for (i = 0; i < n; i++)
		pthread_join(jobs[i].thread, NULL);
	pthread_barrier_destroy(&start);
	return 0;
}
