/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program on an operation's entry runs before the lock is taken. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(HASH, counts, 0);
PROG("fentry/htab_map_update_elem", on_update, inner_put(&counts))
PROG("xdp", on_packet, inner_put(&counts))
