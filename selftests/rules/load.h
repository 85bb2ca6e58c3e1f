/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asking the verifier, and running what it accepts. */
#ifndef RQSPIN_RULES_LOAD_H
#define RQSPIN_RULES_LOAD_H

#include "emit.h"
#include "kernel.h"

struct loaded {
	int prog, link; /* link: -1 for programs that are run directly */
};

/* Instructions for a program, and loading them. */
struct loader {
	const struct kernel *kernel;
	struct emitter emitter;
	struct bpf_insn insns[MAX_INSNS];
	char log[1 << 20];
};

/*
 * 0, or a negative errno: -ENOENT where the kernel lacks a kfunc, -E2BIG where there was no room to
 * decide. Map iterators and programs at function entry are attached as well: the former are judged
 * only then.
 */
int load_program(struct loader *l, const struct program *p, bool want_log, struct loaded *loaded);
void unload_program(struct loaded *loaded);

/* 0 or an errno. */
int run_program(const struct loader *l, const struct program *p, const struct loaded *loaded);

/* Whether @err says that the verifier refused the program. */
bool is_refusal(int err);

/* The last line of the log that says something. */
const char *last_line(struct loader *l);

#endif
