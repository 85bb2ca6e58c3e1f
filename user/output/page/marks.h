/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The timeline of each CPU: failures, and the waits that they report. */
#ifndef RQSPIN_REPORT_MARKS_H
#define RQSPIN_REPORT_MARKS_H

#include <jansson.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARKS_MAX      (1 << 18) /* what a viewer can show without trouble */
#define MARKS_SHORT_NS 1000	 /* drawn length of a wait of which only the end is known */

/**
 * struct mark - a failure, or a wait that was over, or still there, when an acquisition failed
 * @wait: it is a wait
 * @begin_known: @begin_ns is that of the wait; else the wait is drawn MARKS_SHORT_NS long
 * @cut: the wait is drawn from the end of another wait, since the two overlap
 * @whole: all waits of its cycle are known, and the last one is for the first
 * @cpu: where
 * @cycle: number of the wait's cycle, counted from 1; 0: none
 * @begin_ns, @end_ns: since 1970; the same for a failure
 * @tid: of the task, 0 if unknown
 * @kind, @errno_name, @source: of the failure
 * @prog, @lock, @at, @comm, @held: as a report names them; NULL: unknown
 */
struct mark {
	bool wait, begin_known, cut, whole;
	__u32 cpu;
	__u64 cycle;
	int64_t begin_ns, end_ns;
	json_int_t tid;
	const char *kind, *errno_name, *source;
	const char *prog, *lock, *at, *comm, *held;
};

/**
 * struct marks - all marks
 * @all: in the order of the lines; the marks of a cycle follow each other
 * @drawn: the same in the order of marks_settle()
 * @most: limit of @nr; 0: MARKS_MAX
 * @failures: failures that are in @all
 * @left_out: failures beyond @most
 * @undated: failures without a time, or a CPU, that can be drawn
 * @cycles: number of cycles with two members or more
 * @names: all texts, each once
 * @nomem: a text could not be kept
 */
struct marks {
	struct mark *all, **drawn;
	size_t nr, most;
	unsigned long long failures, left_out, undated;
	__u64 cycles;
	json_t *names;
	bool nomem;
};

int marks_init(struct marks *m); /* -ENOMEM */
void marks_free(struct marks *m);

/* A line of type "failure". 0 or -ENOMEM. */
int marks_add(struct marks *m, const json_t *line);

/**
 * marks_settle() - put the marks in an order in which they can be drawn
 * @m: the marks
 *
 * The order is by begin, longer marks first. Two waits of a CPU are one inside the other, or apart:
 * where times are not exact enough for that, the later one begins when the earlier one ends.
 *
 * Return: 0 or -ENOMEM
 */
int marks_settle(struct marks *m);

#endif
