/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs' rings of events (rqspin/res_events.bpf.h) are recognized by the names of their maps. */
#ifndef RQSPIN_KERNEL_RING_NAME_H
#define RQSPIN_KERNEL_RING_NAME_H

#include <stdbool.h>
#include <string.h>

/* The second name is for loaders that do not support sections like the first (RQSPIN_ZEROED). */
static inline bool is_ring_name(const char *map)
{
	return !strcmp(map, ".bss.rqspin") || !strcmp(map, ".data.rqspin");
}

#endif
