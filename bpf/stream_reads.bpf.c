// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The first reader of an error stream takes its text: record the readers besides the tracer. */
#include <vmlinux.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "own.bpf.h"
#include "probe_shared.h"
#include "stream_reads.h"

__u32 tracer; /* its process id in the kernel's own PID namespace */
__u64 nr_began, nr_reads;
struct stream_read reads[STREAM_READS];

SEC("syscall")
int rqspin_reader(void *ctx)
{
	tracer = bpf_get_current_pid_tgid() >> 32;
	return 0;
}

SEC("kprobe") /* user space knows the names that kernels have for it */
int BPF_KPROBE(stream_is_read, struct bpf_prog *prog, int stream)
{
	__u64 nth;

	if (stream != PROBE_STDERR || bpf_get_current_pid_tgid() >> 32 == tracer)
		return 0;
	nth = __sync_fetch_and_add(&nr_began, 1) & (STREAM_READS - 1);
	reads[nth].prog_id = BPF_CORE_READ(prog, aux, id);
	BPF_CORE_READ_STR_INTO(&reads[nth].name, prog, aux, name);
	__sync_fetch_and_add(&nr_reads, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
