/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef HEADERS_DRIVE_H
#define HEADERS_DRIVE_H

#include <linux/types.h>

struct bpf_object;

/* One run of a tc program; its return value, or -1000 - errno if it could not run. */
int run_once(int prog_fd, __u32 repeat);

/* Events in the object's ring against the run that made them; reports by tap(). */
void check_events(const struct bpf_object *obj, int prog_fd);

/* Programs X_ab and X_ba of the object, on two CPUs at once; reports by tap(). */
void check_contended(const struct bpf_object *obj, const char *name);

#endif
