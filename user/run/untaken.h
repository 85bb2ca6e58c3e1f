/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs of the user's that never reached a lock: what may be the cause. */
#ifndef RQSPIN_RUN_UNTAKEN_H
#define RQSPIN_RUN_UNTAKEN_H

#include <bpf/libbpf.h>

#include "run/driver.h"

/* Warns. obj: the programs that were run, with their maps, which are looked at. */
void untaken_warn(const struct drive *d, const struct bpf_object *obj);

#endif
