// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Dining philosophers: n CPUs, n locks in an array; CPU i takes fork i, then fork i + 1 modulo n.
 *   bpftool prog loadall dining.bpf.o /sys/fs/bpf/dining
 *   for i in 0 1; do printf "\x0$i\0\0\0\2\0\0\0" >/tmp/role$i       # { role, number of roles }
 *       taskset -c $i bpftool prog run pinned /sys/fs/bpf/dining/dining ctx_in /tmp/role$i &
 *   done; wait
 * Expect: at least one philosopher fails: -35 (-EDEADLK) for two; for more -110 (-ETIMEDOUT) after
 * 250 ms or more on kernels that only look for AA and ABBA.
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

SEC("syscall")
int dining(struct sample_role_args *args)
{
	__u32 role = args->role, roles = args->roles, left, right;
	struct fork *l, *r;

	if (roles < 2 || role >= roles)
		return -EINVAL;
	left = role;
	right = (role + 1) % roles;
	l = bpf_map_lookup_elem(&forks, &left);
	r = bpf_map_lookup_elem(&forks, &right);
	if (!l || !r)
		return -EINVAL;
	CYCLE_PARTY(&l->lock, &r->lock, roles);
}
