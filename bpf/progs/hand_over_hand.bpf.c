// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A sorted list with a lock in each node, walked hand over hand: the next node is locked before the
 * present one is released, out of order. All CPUs put nodes in and take them out at random.
 *   bpftool prog loadall hand_over_hand.bpf.o /sys/fs/bpf/hand
 *   for i in 0 1; do printf "\x0$i\0\0\0\x02\0\0\0--------" >/tmp/role$i
 *       taskset -c $i bpftool prog run pinned /sys/fs/bpf/hand/hand_over_hand \
 *           data_in /tmp/role$i repeat 100 & done; wait
 * Expect: 0; -22 (-EINVAL) if the list lacks a node or has no end; -95 (-EOPNOTSUPP) without
 * bpf_res_spin_unlock_ooo, which only Linux 6.12 with kernel-patches/ has.
 */
#include "sample.bpf.h"
#include <rqspin/res_lock_array.bpf.h>

#define EOPNOTSUPP 95
#define NODES	   32 /* the first one is the head */

struct list_place {
	struct bpf_res_spin_lock lock;
	__u32 next;   /* index; 0 at the end */
	__u32 linked; /* belongs to the lock of the node in front */
};
RES_LOCK_MAP(nodes, struct list_place, NODES);
extern void bpf_res_spin_unlock_ooo(struct bpf_res_spin_lock *lock) __weak __ksym;
sample_meeting ready;

/* From a locked node to the last one in front of key; that one is locked afterwards. */
static __always_inline struct list_place *list_walk(struct list_place *at, __u32 key, int *err)
{
	while (at->next && at->next < key) {
		struct list_place *next = res_lock_map_elem(&nodes, at->next);

		*err = next && can_loop ? res_spin_lock(&next->lock) : -EINVAL;
		if (*err)
			break;
		bpf_res_spin_unlock_ooo(&at->lock);
		at = next;
	}
	return at;
}

static __noinline int toggle_random_node(void)
{
	__u32 key = 1 + bpf_get_prandom_u32() % (NODES - 1);
	struct list_place *at = res_lock_map_elem(&nodes, 0);
	struct list_place *node = res_lock_map_elem(&nodes, key);
	int err = at && node ? res_spin_lock(&at->lock) : -EINVAL;

	if (err || !at || !node)
		return err;
	at = list_walk(at, key, &err);
	if (!err)
		err = node->linked == (at->next == key) ? res_spin_lock(&node->lock) : -EINVAL;
	if (!err) {
		if (!node->linked)
			node->next = at->next;
		at->next = node->linked ? node->next : key;
		node->linked = !node->linked;
		res_spin_unlock(&node->lock);
	}
	res_spin_unlock(&at->lock);
	return err;
}

SEC("tc")
int hand_over_hand(struct __sk_buff *ctx)
{
	struct sample_role_args args;
	struct sample_scope s;

	if (!bpf_ksym_exists(bpf_res_spin_unlock_ooo) ||
	    bpf_skb_load_bytes(ctx, 0, &args, sizeof(args)))
		return -EOPNOTSUPP;
	if (!sample_meet(&ready, args.roles))
		return SAMPLE_ALONE;
	sample_begin(&s);
	for (int i = 0; i < 16 && !s.err; i++)
		s.err = toggle_random_node();
	return sample_end(&s);
}
