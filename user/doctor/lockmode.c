// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cpus.h"
#include "doctor/lockmode.h"
#include "kernel/probeobj.h"
#include "run/driver.h"

#define TRIES	    5
#define WAITED_NS   100000     /* a longer wait was one behind the holder */
#define WORD_QUEUED (~0xfeffu) /* pending bit and tail of the lock word, not its owner */

/* Let a holder and a waiter meet once. */
static enum lock_mode lockmode_meet(struct probe_bpf *skel, const int cpus[2])
{
	struct role roles[] = {
		{ .prog = "rqspin_hold",
		  .prog_fd = probeobj_fd(skel, "rqspin_hold"),
		  .cpu = cpus[0] },
		{ .prog = "rqspin_wait",
		  .prog_fd = probeobj_fd(skel, "rqspin_wait"),
		  .cpu = cpus[1] },
	};
	struct drive d = {
		.roles = roles, .nr_roles = 2, .lockstep = true, .single = true, .count = 1
	};

	memset(&skel->bss->mode, 0, sizeof(skel->bss->mode));
	if (drive_run(&d, NULL, NULL) || roles[0].ret.ok + roles[1].ret.ok != 2)
		return MODE_UNKNOWN;
	if (skel->bss->mode.word & WORD_QUEUED)
		return MODE_QUEUE;
	return skel->bss->mode.wait_ns > WAITED_NS ? MODE_TAS : MODE_UNKNOWN;
}

/* A waiter that the hypervisor stopped looks like test-and-set: ask for a majority. */
static enum lock_mode lockmode_vote(struct probe_bpf *skel, const int cpus[2])
{
	unsigned int tas = 0;

	for (unsigned int i = 0; i < TRIES; i++) {
		switch (lockmode_meet(skel, cpus)) {
		case MODE_QUEUE:
			return MODE_QUEUE;
		case MODE_TAS:
			tas++;
			break;
		default:
			break;
		}
	}
	return tas > TRIES / 2 ? MODE_TAS : MODE_UNKNOWN;
}

enum lock_mode lock_mode_watch(const char **why)
{
	int cpus[OPT_CPUS_MAX];
	struct probe_bpf *skel;
	enum lock_mode mode;

	*why = "needs two CPUs";
	if (cpus_usable(cpus) < 2)
		return MODE_UNKNOWN;
	*why = "the programs that watch a waiter do not load";
	skel = probeobj_load("rqspin_hold", "rqspin_wait");
	if (!skel)
		return MODE_UNKNOWN;
	mode = lockmode_vote(skel, cpus);
	*why = mode == MODE_QUEUE ? "a waiter marked the lock word" :
	       mode == MODE_TAS	  ? "waiters left no mark in the lock word" :
				    "holder and waiter did not meet";
	probe_bpf__destroy(skel);
	return mode;
}
