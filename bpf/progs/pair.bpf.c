// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * res_lock_pair.bpf.h: two accounts locked in the order of their addresses, whichever way the money
 * goes. The two programs would deadlock if each locked its own source first.
 *   bpftool prog loadall pair.bpf.o /sys/fs/bpf/pair; in="data_in /etc/os-release repeat 100000"
 *   taskset -c 0 bpftool prog run pinned /sys/fs/bpf/pair/pair_there $in &
 *   taskset -c 1 bpftool prog run pinned /sys/fs/bpf/pair/pair_back $in; wait
 * Expect: 0 on both, never -35 (-EDEADLK); the balances sum up to 0.
 */
#include "sample.bpf.h"
#include <rqspin/res_lock_array.bpf.h>
#include <rqspin/res_lock_pair.bpf.h>

struct account {
	struct bpf_res_spin_lock lock;
	__s64 balance;
};

RES_LOCK_MAP(accounts, struct account, 2);

static __always_inline int transfer(__u32 from_index, __u32 to_index)
{
	struct account *from = res_lock_map_elem(&accounts, from_index);
	struct account *to = res_lock_map_elem(&accounts, to_index);
	struct sample_scope s;
	struct res_pair pair;

	if (!from || !to)
		return -EINVAL;
	sample_begin(&s);
	s.err = res_pair_lock(&pair, &from->lock, &to->lock);
	if (s.err) {
		res_scope_fail_pair(&s.scope, &pair, s.err);
		return sample_end(&s);
	}
	from->balance--;
	to->balance++;
	res_pair_unlock(&pair);
	return sample_end(&s);
}

SEC("tc")
int pair_there(struct __sk_buff *ctx)
{
	return transfer(0, 1);
}

SEC("tc")
int pair_back(struct __sk_buff *ctx)
{
	return transfer(1, 0);
}
