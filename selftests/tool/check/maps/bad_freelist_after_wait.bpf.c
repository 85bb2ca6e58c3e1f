/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A waiter for a free list has it when it says so. Another bucket lets it in. */
/* later: EDEADLK */
/* plain: hangs */
#include "inner.bpf.h"

MAP(HASH, waits, 0);
PROG("tp_btf/contention_end", on_end, inner_put(&waits))
PROG("xdp", on_packet, inner_put(&waits))
