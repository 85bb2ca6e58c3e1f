/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An LRU list is locked while its owner waits for a bucket. */
/* later: ENOMEM */
/* plain: hangs */
#include "inner.bpf.h"

MAP(LRU_HASH, waits, 0);
PROG("tp_btf/contention_begin", on_begin, inner_put(&waits))
PROG("xdp", on_packet, inner_put(&waits))
