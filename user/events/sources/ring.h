/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that report their own failures to a memory-mapped ring (rqspin/res_events.bpf.h). */
#ifndef RQSPIN_SOURCES_RING_H
#define RQSPIN_SOURCES_RING_H

#include "events/source.h"

extern const struct source source_ring;

#endif
