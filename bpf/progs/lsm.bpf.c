// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * LSM: a security hook that keeps a budget under a lock: how many files were opened. It never
 * refuses anything, and a lock it cannot get must not refuse either.
 *   bpftool prog loadall lsm.bpf.o /sys/fs/bpf/lsm autoattach
 *   cat /etc/os-release; bpftool map dump name .bss.sample
 * Expect: "ok" counts grow. Needs CONFIG_BPF_LSM, "bpf" in /sys/kernel/security/lsm, trampolines.
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 opened;

SEC("lsm/file_open")
int BPF_PROG(lsm_count, struct file *file)
{
	struct sample_scope s;
	int err;

	sample_begin(&s);
	err = res_spin_lock(&lock);
	if (err) {
		sample_fail(&s, &lock, err);
	} else {
		opened++;
		res_spin_unlock(&lock);
	}
	sample_end(&s);
	return 0;
}
