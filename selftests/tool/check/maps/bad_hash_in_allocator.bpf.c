/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A kprobe on what the memory cache calls when it runs low. */
/* later: EDEADLK */
/* plain: EBUSY */
#include "inner.bpf.h"

MAP(HASH, counts, BPF_F_NO_PREALLOC);
PROG("kprobe/irq_work_queue", on_work, inner_put(&counts))
PROG("xdp", on_packet, inner_put(&counts))
