// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: interrupt. A program that may sleep runs in a task, with interrupts on. */
#include "nested.bpf.h"

SEC("iter.s/task")
int each_task(void *ctx)
{
	return take_inlined(&table) ? 1 : 0;
}
