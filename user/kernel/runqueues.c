// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/runqueues.h"
#include "bpf/runqueues.skel.h"

static int runqueues_run(struct runqueues_bpf *skel, struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	unsigned int nr = libbpf_num_possible_cpus();
	int err;

	skel->rodata->nr_cpus = nr < HELD_CPUS ? nr : HELD_CPUS;
	bpf_program__set_autoload(prog, true);
	err = runqueues_bpf__load(skel);
	if (!err)
		err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
	return err ? err : (int)opts.retval;
}

/*
 * Loads one program at a time: a kernel that does not support one of them refuses the whole object.
 */
static int runqueues_try(bool by_symbol, __u64 addrs[HELD_CPUS])
{
	struct runqueues_bpf *skel = runqueues_bpf__open();
	int err;

	if (!skel)
		return -errno;
	err = runqueues_run(skel,
			    by_symbol ? skel->progs.rqspin_by_symbol : skel->progs.rqspin_by_task);
	if (!err)
		memcpy(addrs, skel->bss->rq_addr, HELD_CPUS * sizeof(*addrs));
	runqueues_bpf__destroy(skel);
	return err;
}

/* The run queues stay where they are as long as the kernel runs. */
int runqueues_find(__u64 addrs[HELD_CPUS])
{
	static __u64 found[HELD_CPUS];
	static int err = 1;

	if (err > 0) {
		log_trying(true);
		err = runqueues_try(false, found);
		if (err)
			err = runqueues_try(true, found);
		log_trying(false);
		err = err > 0 ? -EIO : err;
	}
	if (!err)
		memcpy(addrs, found, sizeof(found));
	return err;
}
