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

/* A macro, because the events carry the name of the function they are reported from. */
#define TRANSFER(from_index, to_index)                                           \
	do {                                                                     \
		struct account *from = res_lock_map_elem(&accounts, from_index); \
		struct account *to = res_lock_map_elem(&accounts, to_index);     \
		struct sample_scope s;                                           \
		struct res_pair pair;                                            \
		int err;                                                         \
                                                                                 \
		if (!from || !to)                                                \
			return -EINVAL;                                          \
		sample_begin(&s);                                                \
		err = res_pair_lock(&pair, &from->lock, &to->lock);              \
		if (err) {                                                       \
			sample_fail(&s, &to->lock, err);                         \
			return sample_end(&s);                                   \
		}                                                                \
		from->balance--;                                                 \
		to->balance++;                                                   \
		res_pair_unlock(&pair);                                          \
		return sample_end(&s);                                           \
	} while (0)

SEC("tc")
int pair_there(struct __sk_buff *ctx)
{
	TRANSFER(0, 1);
}

SEC("tc")
int pair_back(struct __sk_buff *ctx)
{
	TRANSFER(1, 0);
}
