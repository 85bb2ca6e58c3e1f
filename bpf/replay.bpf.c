// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A replay for machines without a compiler: every cycle of one to 33 CPUs, and the timeout.
 * `rqspin replay` sets the roles in sample_run; the number of parties is in the programs' context.
 * The locks are in an array: party i holds locks[i] and wants locks[i + 1].
 */
#include "progs/replay.bpf.h"

#define REPLAY_LOCKS 64

struct slot {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, REPLAY_LOCKS);
	__type(key, __u32);
	__type(value, struct slot);
} locks SEC(".maps");

REPLAY_RUN(.roles = "replay_aa", .expect = "ok=0 EDEADLK=1", .rounds = 1);

static __always_inline struct slot *slot_at(__u32 i)
{
	return bpf_map_lookup_elem(&locks, &i);
}

SEC("syscall")
int replay_aa(struct sample_role_args *args)
{
	struct slot *first = slot_at(0), *again = slot_at(0);

	if (!first || !again)
		return -EINVAL;
	AA_PARTY(&first->lock, &again->lock);
}

SEC("syscall")
int replay_cycle(struct sample_role_args *args)
{
	__u32 role = args->role, roles = args->roles;
	struct slot *first, *second;

	if (roles < 2 || role >= roles)
		return -EINVAL;
	first = slot_at(role);
	second = slot_at((role + 1) % roles);
	if (!first || !second)
		return -EINVAL;
	CYCLE_PARTY(&first->lock, &second->lock, roles);
}

SEC("syscall")
int replay_owner(struct sample_role_args *args)
{
	struct slot *slot = slot_at(0);

	if (!slot)
		return -EINVAL;
	OWNER_PARTY(&slot->lock);
}

SEC("syscall")
int replay_waiter(struct sample_role_args *args)
{
	struct slot *slot = slot_at(0);

	if (!slot)
		return -EINVAL;
	WAITER_PARTY(&slot->lock);
}
