/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef HEADERS_CHECK_EVENTS_H
#define HEADERS_CHECK_EVENTS_H

struct bpf_object;

/* Compare the events in the object's ring with the run that caused them, by tap_result(). */
void check_events(const struct bpf_object *obj, int prog_fd);

#endif
