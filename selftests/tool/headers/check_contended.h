/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef HEADERS_CHECK_CONTENDED_H
#define HEADERS_CHECK_CONTENDED_H

struct bpf_object;

/* Run programs X_ab and X_ba of the object on two CPUs at once; reports by tap_result(). */
void check_contended(const struct bpf_object *obj, const char *name);

#endif
