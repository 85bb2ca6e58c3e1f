/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Loading programs, and running the accepted ones. */
#ifndef RQSPIN_RULES_LOAD_H
#define RQSPIN_RULES_LOAD_H

#include "emit.h"
#include "kernel.h"

struct loaded {
	int prog, link; /* link: -1 for programs that are run directly */
};

/* Buffers for the instructions of a program and for the verifier's log. */
struct loader {
	const struct kernel *kernel;
	struct emitter emitter;
	struct bpf_insn insns[MAX_INSNS];
	char log[1 << 20];
};

/*
 * 0, or a negative errno: -ENOENT if the kernel lacks a kfunc, -E2BIG if there was no room for a
 * verdict. Map iterators and programs at function entry are attached as well: the kernel
 * checks the former only then.
 */
int load_program(struct loader *l, const struct program *p, bool want_log, struct loaded *loaded);
void unload_program(struct loaded *loaded);

/* 0 or an errno. */
int run_program(const struct loader *l, const struct program *p, const struct loaded *loaded);

/* Whether @err means that the verifier refused the program. */
bool is_refusal(int err);

/* The last line of the log with a message. */
const char *last_line(struct loader *l);

#endif
