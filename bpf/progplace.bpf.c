// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The place of a loaded program in the kernel's list of code: a start to walk the list from. */
#include <vmlinux.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "own.bpf.h"

const volatile __u32 wanted_id;
__u64 place;

SEC("iter/bpf_prog")
int rqspin_place(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog;

	if (prog && prog->aux->id == wanted_id)
		place = (__u64)prog->aux + bpf_core_field_offset(struct bpf_prog_aux, ksym) +
			bpf_core_field_offset(struct bpf_ksym, lnode);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
