/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an LRU list drops is freed under its lock. */
/* later: ENOMEM */
/* plain: hangs */
#include "inner.bpf.h"

MAP(LRU_HASH, counts, 0);
PROG("kprobe/check_and_free_fields", on_free, inner_put(&counts))
PROG("xdp", on_packet, inner_put(&counts))
