/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pins of a BPF object's maps: a run leaves none behind. */
#ifndef RQSPIN_RUN_PINS_H
#define RQSPIN_RUN_PINS_H

#include <bpf/libbpf.h>

/* Call it before @obj is loaded. @share: share maps that others have pinned. */
void pins_none(struct bpf_object *obj, bool share);

#endif
