/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* And one on its exit after it is released. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(HASH, counts, 0);
PROG("fexit/htab_map_update_elem", on_update, inner_put(&counts))
PROG("xdp", on_packet, inner_put(&counts))
