/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whoever has waited for a lock of the kernel is in a trie, and so may the trie's own waiter be. */
/* later: EDEADLK */
/* plain: hangs */
#include "inner.bpf.h"

TRIE(owners);
PROG("tp_btf/contention_end", on_end, put_route(&owners))
PROG("xdp", on_packet, put_route(&owners))
