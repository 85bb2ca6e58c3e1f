// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "names/arenaword.h"

#define LOCKED_BYTE  0xffU
#define PENDING_BYTE 0xff00U
#define LEVEL_SHIFT  16
#define LEVEL_MASK   3U
#define CPU_SHIFT    18 /* the CPU's number plus one */

struct arena_said arenaword_decode(enum arena_layout layout, __u32 word)
{
	struct arena_said said = { .state = word ? ARENA_LOCKED : ARENA_FREE, .tail_cpu = -1 };

	if (layout == ARENA_PLAIN || !word)
		return said;
	if (!(word & LOCKED_BYTE))
		said.state = ARENA_HANDED;
	said.pending = word & PENDING_BYTE;
	said.tail_cpu = (int)(word >> CPU_SHIFT) - 1;
	if (said.tail_cpu >= 0)
		said.tail_level = word >> LEVEL_SHIFT & LEVEL_MASK;
	return said;
}
