// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include <kernel/bpf/rqspinlock.h>

#include "stress.h"

static int print_wrong(const char *what, int i, unsigned long value)
{
	fprintf(stderr, "FAULT: left behind: %s of %d is %#lx\n", what, i, value);
	return 1;
}

static int check_cpu(int cpu)
{
	struct res_cpu *rc = per_cpu_ptr(&res_cpu, cpu);
	u32 tag = res_base_tag(cpu);
	int i, faults = 0;

	if (rc->nwait)
		faults += print_wrong("nwait", cpu, rc->nwait);
	if (rc->nheld)
		faults += print_wrong("nheld", cpu, rc->nheld);
	if (rc->escaping)
		faults += print_wrong("escaping", cpu, rc->escaping);
	if (rc->lost)
		faults += print_wrong("lost", cpu, rc->lost);
	if (per_cpu(res_spin_tag, cpu) != tag)
		faults += print_wrong("tag", cpu, per_cpu(res_spin_tag, cpu));
	for (i = 0; i < RES_NR_NODES; i++) {
		if (atomic_read(&rc->node[i].state) & RES_STATE_MASK)
			faults += print_wrong("node", cpu, atomic_read(&rc->node[i].state));
	}
	for (i = 0; i < RES_NR_HELD; i++) {
		if (rc->held[i])
			faults += print_wrong("held", cpu, rc->held[i]);
	}
	for (i = 0; i < RES_NR_DEPTH; i++) {
		if (res_wait_live(rc->wait[i].seq))
			faults += print_wrong("seq", cpu, rc->wait[i].seq);
	}
	return faults;
}

int check_quiet(int nlocks)
{
	int i, faults = 0;

	for (i = 0; i < nlocks; i++) {
		if (!res_is_free(work_lock[i].word))
			faults += print_wrong("word", i, work_lock[i].word);
	}
	for (i = 0; i < (int)shim_nr_cpus; i++)
		faults += check_cpu(i);
	return faults;
}
