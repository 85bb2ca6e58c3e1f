/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples add to the trie that packets add to. */
/* later: EDEADLK */
/* plain: hangs */
#include "inner.bpf.h"

TRIE(routes);
PROG("perf_event", on_sample, put_route(&routes))
PROG("xdp", on_packet, put_route(&routes))
