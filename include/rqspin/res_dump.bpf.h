/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Held locks in the dump of a sched_ext scheduler: which resilient locks each CPU
 * holds or waits for at the moment of the dump.
 *
 *	SEC("struct_ops/dump")
 *	void BPF_PROG(my_dump, struct scx_dump_ctx *dctx)
 *	{
 *		res_dump_held();
 *	}
 *
 * The kernel dumps when the scheduler ends with an error, a stall among them, and for
 * SysRq-D. It is then in the tracepoint sched_ext:sched_ext_dump, and after an error
 * the scheduler's own process has it.
 *
 * The locks are those of the kernel's table, which stock kernels have since 6.15: of
 * all programs, maps and the kernel, not of the scheduler alone. Where there is no
 * table, or where its symbol is not in /proc/kallsyms (no CONFIG_KALLSYMS_ALL), the
 * dump says so, and the program loads as well. Locks in an arena are in no table.
 *
 * Include it after vmlinux.h and bpf_helpers.h; it needs no other header of this
 * library. The loader has to resolve symbols of the kernel without a type, as libbpf
 * does.
 *
 * Idea: the kernel's own dump of sched_ext, which shows run queues and tasks.
 */
#ifndef RQSPIN_RES_DUMP_BPF_H
#define RQSPIN_RES_DUMP_BPF_H

#include <bpf/bpf_core_read.h>

#define RQSPIN_DUMP_LOCKS 31   /* entries of the kernel's table */
#define RQSPIN_DUMP_CPUS  8192 /* at most; the kernel's number is asked for */

struct rqspinlock_held___dump {
	int cnt;
	void *locks[RQSPIN_DUMP_LOCKS];
} __attribute__((preserve_access_index));

/*
 * Without a type: libbpf looks the address up in /proc/kallsyms. A typed one is looked up by the
 * verifier, which refuses the program on kernels with the type and without the symbol.
 */
extern const void rqspinlock_held_locks __ksym __weak;
extern const void __per_cpu_offset __ksym __weak;

/* Flavours: a vmlinux.h may declare these functions with other parameters. */
extern __u32 scx_bpf_nr_cpu_ids___rqspin(void) __weak __ksym;
extern void scx_bpf_dump_bstr___rqspin(char *fmt, unsigned long long *data,
				       __u32 data__sz) __weak __ksym;

#define rqspin_dump(format, ...)                                                             \
	do {                                                                                 \
		static char rqspin_format[] = format;                                        \
		unsigned long long rqspin_args[] = { __VA_ARGS__ };                          \
		scx_bpf_dump_bstr___rqspin(rqspin_format, rqspin_args, sizeof(rqspin_args)); \
	} while (0)

/* Address of the CPU's table; 0: unknown. */
static __always_inline __u64 rqspin_dump_table(__u32 cpu)
{
	const __u64 *offsets = (const __u64 *)&__per_cpu_offset;
	__u64 table = (__u64)&rqspinlock_held_locks, offset;

	if (!table || !offsets || !bpf_core_type_exists(struct rqspinlock_held___dump))
		return 0;
	if (bpf_probe_read_kernel(&offset, sizeof(offset), offsets + cpu))
		return 0;
	return table + offset;
}

/* How many locks the CPU holds or waits for; negative: unknown. */
static __always_inline int rqspin_dump_count(__u64 table)
{
	struct rqspinlock_held___dump *held = (void *)table;
	int cnt;

	if (!table || bpf_core_read(&cnt, sizeof(cnt), &held->cnt))
		return -1;
	return cnt;
}

static __always_inline void rqspin_dump_lock(__u32 cpu, __u64 table, __u32 nth, bool newest)
{
	struct rqspinlock_held___dump *held = (void *)table;
	__u64 lock;

	/* 0: the CPU enters or removes a lock at this moment. */
	if (bpf_core_read(&lock, sizeof(lock), &held->locks[nth]) || !lock)
		return;
	/* The kernel enters a lock before it takes it: only the newest one may be waited for. */
	if (newest)
		rqspin_dump("cpu %llu holds or waits for lock 0x%llx\n", cpu, lock);
	else
		rqspin_dump("cpu %llu holds lock 0x%llx\n", cpu, lock);
}

/**
 * res_dump_held_cpu() - add the locks of one CPU to the dump of a scheduler
 * @cpu: number of a possible CPU
 *
 * A line for each lock, oldest first, with its address; none for a CPU without locks.
 *
 * Return: how many locks the CPU holds or waits for; negative if that is not known.
 * Context: the callbacks .dump and .dump_cpu of a sched_ext scheduler. The tables of other CPUs
 * change while they are read.
 */
static __attribute__((noinline, unused)) int res_dump_held_cpu(__u32 cpu)
{
	__u64 table = rqspin_dump_table(cpu);
	int cnt = rqspin_dump_count(table), i;

	if (cnt <= 0 || !bpf_ksym_exists(scx_bpf_dump_bstr___rqspin))
		return cnt;
	bpf_for(i, 0, RQSPIN_DUMP_LOCKS) {
		if (i >= cnt)
			break;
		rqspin_dump_lock(cpu, table, i, i + 1 == cnt);
	}
	if (cnt > RQSPIN_DUMP_LOCKS)
		rqspin_dump("cpu %llu holds or waits for %llu more locks, not recorded\n", cpu,
			    cnt - RQSPIN_DUMP_LOCKS);
	return cnt;
}

/**
 * res_dump_held() - add the locks of all CPUs to the dump of a scheduler
 *
 * As res_dump_held_cpu() for each CPU, and one line if there is nothing to show: that no CPU holds
 * a lock, or that this kernel does not tell.
 *
 * Return: how many locks all CPUs hold or wait for; negative if that is not known.
 * Context: the callback .dump of a sched_ext scheduler.
 */
static __attribute__((noinline, unused)) int res_dump_held(void)
{
	int all = -1, cpu, cnt, nr;

	if (!bpf_ksym_exists(scx_bpf_dump_bstr___rqspin) ||
	    !bpf_ksym_exists(scx_bpf_nr_cpu_ids___rqspin))
		return -1;
	nr = scx_bpf_nr_cpu_ids___rqspin();
	bpf_for(cpu, 0, RQSPIN_DUMP_CPUS) {
		if (cpu >= nr)
			break;
		cnt = res_dump_held_cpu(cpu);
		if (cnt >= 0)
			all = (all < 0 ? 0 : all) + cnt;
	}
	if (all < 0)
		rqspin_dump("this kernel does not tell which resilient locks are held\n", 0);
	else if (!all)
		rqspin_dump("no CPU holds a resilient lock, or waits for one\n", 0);
	return all;
}

#endif /* RQSPIN_RES_DUMP_BPF_H */
