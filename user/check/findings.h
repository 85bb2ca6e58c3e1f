/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings for the user: texts and places, ready to be printed. */
#ifndef RQSPIN_CHECK_FINDINGS_H
#define RQSPIN_CHECK_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "check/progs.h"

enum severity { FINDING_ERROR, FINDING_WARNING, FINDING_NOTE };

/**
 * struct place - somewhere in a program
 * @file: NULL if there is no line information
 */
struct place {
	char *file, *prog, *object, *text;
	__u32 line, prog_id;
};

struct stage {
	struct place at;
	char *message;
};

/**
 * struct finding - one finding
 * @kind: "cycle", "aa", ...: see docs/check.md
 * @fix: what to do, or NULL
 * @stages: the steps that lead to it
 * @id: its identity, which does not depend on line numbers
 * @known: it is in the baseline
 */
struct finding {
	const char *kind;
	enum severity severity;
	struct place at;
	char *message;
	const char *fix;
	struct stage *stages;
	size_t nr_stages;
	char id[17];
	bool known;
};

struct findings {
	struct finding *all;
	size_t nr;
	bool nomem, baseline;
};

/* Each kind, and its description for SARIF; the last has none. */
extern const struct finding_kind {
	const char *kind, *what;
} finding_kinds[];

const char *finding_about(const char *kind);

/*
 * Add a finding. NULL: out of memory, and nomem is set. prog: NULL if the finding is about no
 * program.
 */
struct finding *finding_add(struct findings *f, enum severity severity, const char *kind,
			    const struct check_prog *prog, __u32 pc, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

void finding_stage(struct findings *f, struct finding *finding, const struct check_prog *prog,
		   __u32 pc, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

void findings_free(struct findings *f);
/* Remove findings that repeat one about the same line: a macro may have many instructions there. */
void findings_unique(struct findings *f);

/* How many findings are in the baseline, and how many are not: either notes, or all others. */
size_t findings_known(const struct findings *f);
size_t findings_count(const struct findings *f, bool notes);

#endif
