/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples update two maps, and each is updated below them, too. */
/* later: EDEADLK */
/* plain: hangs */
#include "inner.bpf.h"

MAP(HASH, flows, 0);
MAP(HASH, tasks, 0);
PROG("perf_event", on_sample, inner_put(&flows); inner_put(&tasks))
PROG("xdp", on_packet, inner_put(&flows))
PROG("tp_btf/sched_switch", on_switch, inner_put(&tasks))
