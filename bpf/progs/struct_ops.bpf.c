// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * struct_ops: a function of a kernel's operation table in BPF, here of the kernel's own test table,
 * which BPF_PROG_TEST_RUN can call. The context is the argument list: one pointer, here 0.
 *   bpftool prog loadall struct_ops.bpf.o /sys/fs/bpf/struct_ops
 *   head -c 8 /dev/zero >/tmp/args
 *   bpftool prog run pinned /sys/fs/bpf/struct_ops/test_1 ctx_in /tmp/args
 * Expect: 0.
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 calls;

SEC("struct_ops/test_1")
int BPF_PROG(test_1, struct bpf_dummy_ops_state *state)
{
	int err = res_spin_lock(&lock);

	/* This table allows no helpers, so there is no clock and no event: only the result. */
	if (err)
		return err;
	calls++;
	res_spin_unlock(&lock);
	return 0;
}

SEC(".struct_ops")
struct bpf_dummy_ops dummy = {
	.test_1 = (void *)test_1,
};
