// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: interrupt. An iterator runs in the task that reads it, with interrupts on. */
#include "nested.bpf.h"

SEC("iter/task")
int each_task(void *ctx)
{
	return take_inlined(&table) ? 1 : 0;
}
