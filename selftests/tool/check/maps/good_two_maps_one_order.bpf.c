/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples nest the maps, and always in one order. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(HASH, flows, 0);
MAP(HASH, samples, 0);
PROG("perf_event", on_sample, inner_put(&samples))
PROG("xdp", on_packet, inner_put(&flows))
