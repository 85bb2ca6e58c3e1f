// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Nesting: three locks at once, released in reverse order, which is the only order the verifier
 * accepts. Every acquisition can fail, so every step has its own way out.
 *   bpftool prog loadall nested.bpf.o /sys/fs/bpf/nested
 *   bpftool prog run pinned /sys/fs/bpf/nested/nested data_in /etc/os-release repeat 1000
 * Expect: 0.
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock outer __hidden SEC(".data.outer");
struct bpf_res_spin_lock middle __hidden SEC(".data.middle");
struct bpf_res_spin_lock inner __hidden SEC(".data.inner");
__u64 turns;

SEC("tc")
int nested(struct __sk_buff *ctx)
{
	struct sample_scope s;
	int err;

	sample_begin(&s);
	err = res_spin_lock(&outer);
	if (err) {
		sample_fail(&s, &outer, err);
		goto out;
	}
	err = res_spin_lock(&middle);
	if (err) {
		sample_fail(&s, &middle, err);
		goto unlock_outer;
	}
	err = res_spin_lock(&inner);
	if (err) {
		sample_fail(&s, &inner, err);
		goto unlock_middle;
	}
	turns++;
	res_spin_unlock(&inner);
unlock_middle:
	res_spin_unlock(&middle);
unlock_outer:
	res_spin_unlock(&outer);
out:
	return sample_end(&s);
}
