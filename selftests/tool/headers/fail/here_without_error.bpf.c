// error: (too few arguments|expected|undeclared)
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"
#include <rqspin/res_guard.bpf.h>

SEC("tc") int program(struct __sk_buff *skb)
{
	struct slot *s = slot_of(0), *t = slot_of(1);

	if (!s || !t)
		return 0;
	res_guard_here(&s->lock);
	s->count++;
	return 0;
}
