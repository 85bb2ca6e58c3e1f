/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests that use BPF_PROG_TEST_RUN: probes of the kernel, pinned runs. */
#ifndef RQSPIN_RUNNER_BPF_H
#define RQSPIN_RUNNER_BPF_H

#include <stdbool.h>

struct bpf_program;

int online_cpus(void);
bool kernel_has_kfunc(const char *name);
bool kernel_has_function(const char *name); /* in its BTF */
bool kernel_has_tracepoint(const char *name);

/*
 * Call this if a program was accepted that must not be. Skips the test and returns true if that
 * is expected: the kernel lacks our series, which is recognized by one of its kfuncs.
 */
bool kernel_shares_hole(const char *hole);

/* Does this kernel let a program attach to a function's entry? Tests it by attaching one. */
bool kernel_has_fentry(void);

int pin_to_cpu(int cpu);
double now_ms(void);

/* One run of a tc or syscall program; negative errno if the run itself failed. */
int prog_run(const struct bpf_program *prog, int *retval);

/**
 * struct role - what one pinned thread does
 * @prog: program to run, NULL to call @call instead
 * @call: user code of this thread; its result becomes @retval
 * @arg: for @call
 * @cpu: CPU the thread is pinned to
 * @retval: out: what the program returned
 * @err: out: 0, or a negative errno if it did not run at all
 * @ms: out: duration of the run
 */
struct role {
	const struct bpf_program *prog;
	int (*call)(void *arg);
	void *arg;
	int cpu;
	int retval;
	int err;
	double ms;
};

/* Run all roles at once, each in a thread of its own; they start together. */
void run_roles(struct role *roles, int count);

#endif
