/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Drives BPF programs from pinned threads through BPF_PROG_TEST_RUN. */
#ifndef RQSPIN_RUN_DRIVER_H
#define RQSPIN_RUN_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hist.h"

#define RETURNED_MAX 8

/* A return value of a program, and how often it was returned. */
struct returned {
	int value;
	uint64_t times;
};

/* The input of a program, as for bpftool prog run. */
struct run_input {
	void *data, *ctx;
	uint32_t data_size, ctx_size; /* 0: none */
};

struct counts {
	uint64_t ok, edeadlk, etimedout, other;
};

static inline uint64_t counts_failed(const struct counts *c)
{
	return c->edeadlk + c->etimedout + c->other;
}

/* One pinned thread and the program it runs. */
struct role {
	const char *prog;
	int prog_type; /* enum bpf_prog_type */
	int prog_fd;
	uint32_t prog_id;
	bool batch;   /* BPF_PROG_TEST_RUN repeats this program type in the kernel */
	bool ctx;     /* gets struct sample_role_args */
	bool verdict; /* returns a verdict on a packet: 1 does not mean SAMPLE_ALONE */
	int cpu;
	unsigned int index;

	uint64_t rounds;
	uint64_t cut;	   /* batches that a signal cut short */
	uint64_t cut_runs; /* at most so many runs were in those batches; not in @rounds */
	uint64_t alone;	   /* runs in which the other roles did not come */
	struct counts ret; /* by return value; the last of each batch only */
	uint64_t ret_runs; /* runs in @ret */
	struct returned returned[RETURNED_MAX]; /* return values of @ret_runs, and SAMPLE_ALONE */
	unsigned int nr_returned;
	uint64_t returned_others;     /* runs whose values have no room in @returned */
	struct hist ret_ok, ret_fail; /* run times of @ret, if the kernel measures them */
	int err;
	struct drive *drive;
	pthread_t thread;
};

struct drive {
	struct role *roles;
	unsigned int nr_roles;
	bool lockstep;		  /* a round is one run of every role */
	bool single;		  /* every return value is wanted: no batches */
	uint64_t count;		  /* rounds per role, 0 for no limit */
	double seconds;		  /* 0 for no limit */
	double rate;		  /* rounds per second and role, 0 for no limit */
	struct run_input *inputs; /* one for each role; NULL: none */

	uint64_t rounds; /* results; rounds only in lockstep */
	double elapsed;
	int signal; /* the signal that ended the run, or 0 */

	pthread_mutex_t lock;
	pthread_cond_t cond;
	unsigned int waiting, running, nr_started;
	uint64_t generation;
	uint64_t alone_in_a_row;
	bool go, met, aborted;
	int done_fd;
	double start;
	atomic_bool stop;
};

/* Called about five times a second while the run lasts. */
typedef void (*drive_progress)(const struct drive *d, void *data);

/*
 * Runs until the limit, a SIGINT, SIGTERM or SIGHUP, or an error. 0, or the negative
 * errno of the role that failed (its err is set). -ETIME: the roles never met.
 */
int drive_run(struct drive *d, drive_progress progress, void *data);

#endif
