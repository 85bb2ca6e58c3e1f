/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of waits as text, JSON (docs/waits.schema.json) and folded stacks. */
#ifndef RQSPIN_WAITS_PRINT_H
#define RQSPIN_WAITS_PRINT_H

#include <linux/types.h>
#include <stdbool.h>

struct wait_table;

/* @dropped: waits in no row; @missing: waits that the kernel does not report, NULL: none. */
int wait_print_text(const struct wait_table *t, __u64 dropped, const char *missing);
int wait_print_json(const struct wait_table *t, __u64 dropped, const char *missing);

/* "outermost;...;innermost;lock NANOSECONDS" for flamegraph.pl; a cgroup comes before all. */
int wait_print_folded(const struct wait_table *t);

#endif
