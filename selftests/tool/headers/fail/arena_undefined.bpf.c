// error: rqspin_arena_lock
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/arena.bpf.h"
#include <rqspin/res_arena.bpf.h>

struct my_lock __arena lock SEC(".addr_space.1");

SEC("tc") int program(struct __sk_buff *skb)
{
	return res_arena_lock(&lock);
}
