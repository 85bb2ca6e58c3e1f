/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A hard interrupt does not come on top, either. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(LRU_HASH, counts, 0);
PROG("tp_btf/irq_handler_entry", on_irq, inner_put(&counts))
PROG("xdp", on_packet, inner_put(&counts))
