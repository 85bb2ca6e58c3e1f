// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Locks in programs at a function's entry, also one that runs under the lock it wants. */
#include "test_kfuncs.h"
#include "graph.h"
#include <bpf/bpf_tracing.h>

struct item {
	struct bpf_list_node link;
	__u64 key;
};

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_list_head head __hidden SEC(".data.lock_a") __contains(item, link);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct locked_value);
} values SEC(".maps");

__u32 target_tid;
__u64 entered, edeadlk, other;

static __always_inline struct locked_value *element_of(__u32 key)
{
	return bpf_map_lookup_elem(&values, &key);
}

static __always_inline void result_count(int err)
{
	entered++;
	if (err == -EDEADLK)
		edeadlk++;
	else
		other++;
}

/* AA within one fentry program. */
SEC("?fentry/bpf_fentry_test1")
int BPF_PROG(aa_at_entry, int a)
{
	struct locked_value *v = element_of(0), *again = element_of(0);
	int err;

	if ((__u32)bpf_get_current_pid_tgid() != target_tid)
		return 0;
	if (!v || !again || bpf_res_spin_lock(&v->lock))
		return 0;
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&v->lock);
	result_count(err);
	return 0;
}

/* Runs inside push_under_lock, which holds lock_a. */
SEC("?fentry/bpf_list_push_front_impl")
int BPF_PROG(want_held_lock)
{
	int err;

	if ((__u32)bpf_get_current_pid_tgid() != target_tid)
		return 0;
	err = bpf_res_spin_lock(&lock_a);
	if (!err)
		bpf_res_spin_unlock(&lock_a);
	result_count(err);
	return 0;
}

SEC("?tc")
int push_under_lock(struct __sk_buff *ctx)
{
	struct item *n = bpf_obj_new(struct item);
	struct bpf_list_node *node;

	if (!n)
		return -1;
	if (bpf_res_spin_lock(&lock_a)) {
		bpf_obj_drop(n);
		return -2;
	}
	bpf_list_push_front_impl(&head, &n->link, NULL, 0);
	node = bpf_list_pop_front(&head);
	bpf_res_spin_unlock(&lock_a);
	if (node)
		bpf_obj_drop(container_of(node, struct item, link));
	return node != NULL;
}

char _license[] SEC("license") = "Dual BSD/GPL";
