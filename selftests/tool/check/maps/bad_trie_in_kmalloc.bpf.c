/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A trie that allocates under its lock, and a program on these allocations. */
/* later: nothing */
/* plain: hangs */
#include "inner.bpf.h"

TRIE(sizes);
PROG("raw_tp/kmalloc", on_kmalloc, put_route(&sizes))
PROG("xdp", on_packet, put_route(&sizes))
