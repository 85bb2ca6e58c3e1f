/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for locks, in programs that the kernel starts on top of none of their like. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(HASH, begins, 0);
PROG("tp/lock/contention_begin", on_begin, inner_put(&begins))
PROG("tp/lock/contention_end", on_end, inner_drop(&begins))
