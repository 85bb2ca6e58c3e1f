// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: interrupt. Work that a packet leaves to a task: called once, with interrupts on. */
#define bpf_task_work bpf_task_work_of_header
#include "check.bpf.h"
#undef bpf_task_work

struct bpf_task_work {
	__u64 opaque;
} __attribute__((aligned(8)));

/* Declared only, they would not be the types that the kernel's function takes. */
struct task_struct {
	int unused;
};
struct bpf_map {
	int unused;
};

extern int bpf_task_work_schedule_signal_impl(struct task_struct *task, struct bpf_task_work *work,
					      void *map__map,
					      int (*callback)(struct bpf_map *, void *, void *),
					      void *aux__prog) __ksym;

struct job {
	struct bpf_task_work work;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct job);
} jobs SEC(".maps");

struct bpf_res_spin_lock table __hidden SEC(".data.table");

static int take_later(struct bpf_map *map, void *key, void *value)
{
	if (take_inlined(&table))
		failures++;
	return 0;
}

SEC("tc")
int leaves_work(struct __sk_buff *ctx)
{
	struct job *job = elem_of(&jobs, 0);

	if (job)
		bpf_task_work_schedule_signal_impl(bpf_get_current_task_btf(), &job->work, &jobs,
						   take_later, NULL);
	return 0;
}

SEC("xdp")
int packet(struct xdp_md *ctx)
{
	return take_inlined(&table) ? XDP_DROP : XDP_PASS;
}
