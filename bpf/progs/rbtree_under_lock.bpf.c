// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A red-black tree guarded by a resilient lock, used as a queue by priority: each run adds one job
 * and takes out the one with the smallest deadline.
 *   bpftool prog loadall rbtree_under_lock.bpf.o /sys/fs/bpf/tree
 *   bpftool prog run pinned /sys/fs/bpf/tree/rbtree_under_lock data_in /etc/os-release repeat 1000
 * Expect: 0; -22 (-EINVAL) if the tree were found empty.
 */
#include "sample.bpf.h"
#include "objects.bpf.h"

struct job {
	struct bpf_rb_node node;
	__u64 deadline;
};

struct bpf_res_spin_lock lock guarded(jobs);
struct bpf_rb_root jobs contains(job, node) guarded(jobs);

static bool job_earlier(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return container(a, struct job, node)->deadline < container(b, struct job, node)->deadline;
}

SEC("tc")
int rbtree_under_lock(struct __sk_buff *ctx)
{
	struct job *job = obj_new(struct job);
	struct bpf_rb_node *first;
	struct sample_scope s;
	int err;

	if (!job)
		return -ENOMEM;
	job->deadline = bpf_get_prandom_u32();
	sample_begin(&s);
	err = res_spin_lock(&lock);
	if (err) {
		sample_fail(&s, &lock, err);
		obj_drop(job);
		return sample_end(&s);
	}
	tree_add(&jobs, &job->node, job_earlier);
	first = bpf_rbtree_first(&jobs);
	if (first)
		first = bpf_rbtree_remove(&jobs, first);
	res_spin_unlock(&lock);
	if (first)
		obj_drop(container(first, struct job, node));
	else
		s.err = -EINVAL;
	return sample_end(&s);
}
