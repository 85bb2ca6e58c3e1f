/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of programs, as text and as JSON. */
#ifndef RQSPIN_SHOW_CALL_VIEW_H
#define RQSPIN_SHOW_CALL_VIEW_H

#include <jansson.h>
#include <linux/types.h>
#include <stdio.h>

struct lock_view;
struct proginfo;

/* "file.bpf.c:53", or "line 53" if the file is unknown; file: last part of its name, or "" */
void line_put(FILE *out, const struct proginfo *prog, const char *file, __u32 line);

/* call: the line is that of the call itself. null if line is 0. */
json_t *line_json(const struct proginfo *prog, const char *file, __u32 line, bool call);

json_t *prog_json(__u32 id, const char *name); /* null if neither is known */

/* " at file.bpf.c:53 in prog 7 name", " in htab_map_update_elem", or nothing */
void call_put(FILE *out, const struct lock_view *v, __u64 addr);

/* Adds prog, at and function to the object. */
void call_json(json_t *to, const struct lock_view *v, __u64 addr);

#endif
