/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who waits for whom in a cycle, as a graph in the language of graphviz. */
#ifndef RQSPIN_REPORT_WAITS_H
#define RQSPIN_REPORT_WAITS_H

#include <jansson.h>

/*
 * The graph of an AA, ABBA or CYCLE, by names alone, so that failures that are alike have the same
 * text; NULL if the line is none of these, or without memory. To be freed.
 */
char *waits_dot(const json_t *line);

/*
 * "abba_0 at abba.bpf.c:18 wants lock_b and holds lock_a; abba_1 at abba.bpf.c:24 wants lock_a". To
 * be freed, NULL without memory.
 */
char *waits_text(const json_t *line);

#endif
