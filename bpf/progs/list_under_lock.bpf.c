// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A linked list guarded by a resilient lock: the verifier lets a program touch the list only while
 * it holds the lock beside it. Each run appends one node and takes off the oldest.
 *   bpftool prog loadall list_under_lock.bpf.o /sys/fs/bpf/list
 *   bpftool prog run pinned /sys/fs/bpf/list/list_under_lock data_in /etc/os-release repeat 1000
 * Expect: 0; -22 (-EINVAL) if a node came back with another number than it went in with.
 */
#include "sample.bpf.h"
#include "objects.bpf.h"

struct item {
	struct bpf_list_node node;
	__u64 number;
};

struct bpf_res_spin_lock lock guarded(queue);
struct bpf_list_head queue contains(item, node) guarded(queue);
__u64 pushed, popped;

SEC("tc")
int list_under_lock(struct __sk_buff *ctx)
{
	struct item *in = obj_new(struct item), *out;
	struct bpf_list_node *node;
	struct sample_scope s;
	int err;

	if (!in)
		return -ENOMEM;
	sample_begin(&s);
	err = res_spin_lock(&lock);
	if (err) {
		sample_fail(&s, &lock, err);
		obj_drop(in);
		return sample_end(&s);
	}
	in->number = pushed++;
	list_push(&queue, &in->node);
	node = bpf_list_pop_front(&queue);
	res_spin_unlock(&lock);
	if (node) {
		out = container(node, struct item, node);
		if (out->number != popped++)
			s.err = -EINVAL;
		obj_drop(out);
	}
	return sample_end(&s);
}
