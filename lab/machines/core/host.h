/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include "core/sim.h"

/**
 * struct host_costs - a hypervisor
 * @pcpus: physical CPUs
 * @slice: time after which a virtual CPU is preempted, if another one is ready
 * @wake:  time from a kick until the halted virtual CPU is ready
 * @kick:  cost of a kick for the kicker
 */
struct host_costs {
	int pcpus;
	sim_time slice, wake, kick;
};

enum vcpu_state { VCPU_READY, VCPU_RUNS, VCPU_HALTED, VCPU_WAKES };

/**
 * struct vcpu - the host's view of a CPU
 * @turn:   counts its turns: an event for the end of an earlier turn is stale
 * @kicked: the next halt ends at once
 */
struct vcpu {
	struct sim_cpu *cpu;
	struct host *host;
	enum vcpu_state state;
	uint64_t turn;
	bool kicked;
};

/**
 * struct host - one queue of ready virtual CPUs, served in order
 * @ready: a ring of @waiting CPU numbers from @first
 */
struct host {
	struct host_costs costs;
	struct sim *sim;
	struct vcpu *vcpu;
	int *ready, first, waiting, idle;
	uint64_t preempted, halts, kicks;
};

/** host_init() - Put all CPUs of @s on @c->pcpus physical ones. Return: 0 or -ENOMEM. */
int host_init(struct host *h, struct sim *s, const struct host_costs *c);
void host_free(struct host *h);

/** host_halt() - The calling CPU stops until it is kicked. Without a host it goes on at once. */
void host_halt(struct sim_cpu *c);

/** host_kick() - Wake @cpu; the caller pays for it. */
void host_kick(struct sim_cpu *c, int cpu);

#endif
