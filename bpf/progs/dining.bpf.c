// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Dining philosophers: n CPUs, n locks in an array; CPU i takes fork i, then fork i + 1 modulo n.
 * The role and n come with the context (dining) or in the packet (dining_packet, for bpftool).
 *   bpftool prog loadall dining.bpf.o /sys/fs/bpf/dining
 *   for i in 0 1; do printf "\x0$i\0\0\0\x02\0\0\0--------" >/tmp/role$i
 *       taskset -c $i bpftool prog run pinned /sys/fs/bpf/dining/dining_packet \
 *           data_in /tmp/role$i repeat 100 & done; wait
 * Expect: in each round at least one fails: -35 (-EDEADLK) when n is 2; with more, -110
 * (-ETIMEDOUT) after 250 ms or more on kernels that only look for AA and ABBA. bpftool shows the
 * last repetition only, where whoever is still running is alone: 1.
 */
#include "cycle.bpf.h"

struct fork {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SAMPLE_CPUS);
	__type(key, __u32);
	__type(value, struct fork);
} forks SEC(".maps");

static __always_inline struct fork *fork_at(__u32 i)
{
	return bpf_map_lookup_elem(&forks, &i);
}

#define DINE(args)                                                    \
	do {                                                          \
		struct fork *left = fork_at((args).role), *right;     \
                                                                      \
		if ((args).roles < 2 || (args).role >= (args).roles)  \
			return -EINVAL;                               \
		right = fork_at(((args).role + 1) % (args).roles);    \
		if (!left || !right)                                  \
			return -EINVAL;                               \
		CYCLE_PARTY(&left->lock, &right->lock, (args).roles); \
	} while (0)

SEC("syscall")
int dining(struct sample_role_args *args)
{
	DINE(*args);
}

SEC("tc")
int dining_packet(struct __sk_buff *ctx)
{
	struct sample_role_args args;

	if (bpf_skb_load_bytes(ctx, 0, &args, sizeof(args)))
		return -EINVAL;
	DINE(args);
}
