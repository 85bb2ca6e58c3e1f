/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tracepoint in an NMI comes on top of user space, too, unlike a perf event. */
/* later: EDEADLK */
/* plain: EBUSY */
#include "inner.bpf.h"

MAP(HASH, counts, 0);
PROG("raw_tp/nmi_handler", on_nmi, inner_put(&counts))
