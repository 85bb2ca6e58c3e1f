/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests need around BPF_PROG_TEST_RUN: probes, pinned runs. */
#ifndef RQSPIN_RUNNER_BPF_H
#define RQSPIN_RUNNER_BPF_H

#include <stdbool.h>

struct bpf_program;

int online_cpus(void);
bool kernel_has_kfunc(const char *name);
bool kernel_has_function(const char *name); /* in its BTF */
bool kernel_has_tracepoint(const char *name);

/*
 * Something was accepted that must not be. True, and a skip, where that is to be expected:
 * the kernel is not one of our series, which a kfunc of its own shows.
 */
bool kernel_shares_hole(const char *hole);

/* Does this kernel let a program attach to a function's entry? Found out by doing it. */
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
 * @err: out: 0, or why it did not run at all
 * @ms: out: how long the run took
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
