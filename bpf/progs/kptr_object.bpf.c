// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An allocated object with a lock of its own, from bpf_obj_new(). The kernel keeps track of the
 * lock only in types that have a reference count, list node or tree node as well: without "refs"
 * the program is refused with "local 'kptr' has no valid bpf_res_spin_lock". bpftool prog loadall
 * kptr_object.bpf.o /sys/fs/bpf/kptr bpftool prog run pinned /sys/fs/bpf/kptr/kptr_object data_in
 * /etc/os-release repeat 1000 Expect: 0.
 */
#include "sample.bpf.h"
#include "objects.bpf.h"

struct account {
	struct bpf_res_spin_lock lock;
	struct bpf_refcount refs;
	__u64 balance;
};

SEC("tc")
int kptr_object(struct __sk_buff *ctx)
{
	struct account *a = obj_new(struct account);
	struct sample_scope s;
	int err;

	if (!a)
		return -ENOMEM;
	sample_begin(&s);
	err = res_spin_lock(&a->lock);
	if (err) {
		sample_fail(&s, &a->lock, err);
	} else {
		a->balance++;
		res_spin_unlock(&a->lock);
	}
	obj_drop(a);
	return sample_end(&s);
}
