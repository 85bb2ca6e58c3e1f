/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Both directions of the network: interrupts are off under the lock. */
/* later: nothing */
/* plain: nothing */
#include "inner.bpf.h"

MAP(HASH, counts, 0);
PROG("xdp", on_packet, inner_put(&counts))
PROG("tc", on_send, inner_put(&counts); inner_drop(&counts))
