/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user's programs never reached a lock: possible causes. */
#ifndef RQSPIN_RUN_UNTAKEN_H
#define RQSPIN_RUN_UNTAKEN_H

#include <bpf/libbpf.h>

#include "run/driver.h"

/* Warns. @obj: the object whose programs were run, loaded; its maps are read. */
void untaken_warn(const struct drive *d, const struct bpf_object *obj);

#endif
