// error: changes address space of pointer
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/arena.bpf.h"
#include <rqspin/res_arena.bpf.h>

struct my_lock __arena lock SEC(".addr_space.1");

RES_ARENA_DEFINE(struct my_lock, my_arena_take, my_arena_release);

SEC("tc") int program(struct __sk_buff *skb)
{
	__u32 count = 0;

	use_arena();
	res_arena_guard((struct my_lock *)skb) {
		count++;
	}
	res_guard_failed(err) {
		return err;
	}
	return count;
}
