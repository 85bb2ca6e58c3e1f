// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sched_ext: a CPU scheduler that leaves every choice to the kernel's default and only counts,
 * under a lock shared by all CPUs, how often a task starts to run. The callback runs with
 * interrupts off and the run queue locked: the kind of place where a lock must not hang.
 *   bpftool struct_ops register sched_ext.bpf.o /sys/fs/bpf/sched_ext   # until the pin is removed
 *   bpftool map dump name .bss.sample
 * Expect: "ok" counts grow on every CPU. Its dump (SysRq-D, or after an error; tracepoint
 * sched_ext_dump) has the locks that each CPU holds. Needs CONFIG_SCHED_CLASS_EXT (6.12 or later).
 */
#include "sample.bpf.h"
#include <rqspin/res_dump.bpf.h>

struct scx_dump_ctx;

/* Only what is used, so that it compiles with the types of a kernel that has no sched_ext. */
struct sched_ext_ops___sample {
	void (*running)(struct task_struct *p);
	void (*dump)(struct scx_dump_ctx *ctx);
	char name[128];
};

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 switches;

SEC("struct_ops/running")
void BPF_PROG(count_running, struct task_struct *p)
{
	struct sample_scope s;
	int err;

	sample_begin(&s);
	err = res_spin_lock(&lock);
	if (err) {
		sample_fail(&s, &lock, err);
	} else {
		switches++;
		res_spin_unlock(&lock);
	}
	sample_end(&s);
}

SEC("struct_ops/dump")
void BPF_PROG(dump_held, struct scx_dump_ctx *dump)
{
	res_dump_held();
}

SEC(".struct_ops.link")
struct sched_ext_ops___sample counting = {
	.running = (void *)count_running,
	.dump = (void *)dump_held,
	.name = "rqspin_counting",
};
