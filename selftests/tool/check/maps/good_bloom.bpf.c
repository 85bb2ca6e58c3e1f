/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A bloom filter has no lock. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

QUEUE(BLOOM_FILTER, seen);
PROG("perf_event", on_sample, inner_push(&seen))
PROG("xdp", on_packet, inner_push(&seen))
