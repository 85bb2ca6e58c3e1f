/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A kprobe on what the compiler made of a function under the bucket's lock. */
/* later: EDEADLK */
/* plain: EBUSY */
#include "inner.bpf.h"

MAP(HASH, counts, 0);
PROG("kprobe/lookup_elem_raw.isra.0", on_lookup, inner_put(&counts))
PROG("xdp", on_packet, inner_put(&counts))
