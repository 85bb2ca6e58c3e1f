/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program on a function under the bucket's lock updates what user space updates. */
/* later: EDEADLK */
/* plain: EBUSY */
#include "inner.bpf.h"

MAP(HASH, counts, 0);
PROG("fentry/lookup_elem_raw", on_lookup, inner_put(&counts))
