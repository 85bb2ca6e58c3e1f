// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "check/advice.h"
#include "check/context.h"
#include "check/graph.h"
#include "check/locktext.h"

/* What comes later interrupts what comes before. */
enum level { TASK, SOFTIRQ, HARDIRQ, NMI };

static const char *const level_names[] = { "a task", "a soft interrupt", "an interrupt", "an NMI" };

/* Both are cautious: can surely be interrupted from lowest + 1 on, can surely interrupt below
 * highest. */
struct context {
	enum level lowest, highest;
};

/* Programs of a type always run so; others in whatever context their hook is in. */
static const struct {
	enum bpf_prog_type type;
	struct context context;
} types[] = {
	{ BPF_PROG_TYPE_SYSCALL, { TASK, TASK } },
	{ BPF_PROG_TYPE_CGROUP_SOCK, { TASK, TASK } },
	{ BPF_PROG_TYPE_CGROUP_SOCK_ADDR, { TASK, TASK } },
	{ BPF_PROG_TYPE_CGROUP_SOCKOPT, { TASK, TASK } },
	{ BPF_PROG_TYPE_CGROUP_SYSCTL, { TASK, TASK } },
	{ BPF_PROG_TYPE_CGROUP_DEVICE, { TASK, TASK } },
	{ BPF_PROG_TYPE_XDP, { SOFTIRQ, SOFTIRQ } },
	{ BPF_PROG_TYPE_SCHED_CLS, { SOFTIRQ, SOFTIRQ } },
	{ BPF_PROG_TYPE_SCHED_ACT, { SOFTIRQ, SOFTIRQ } },
	{ BPF_PROG_TYPE_LWT_IN, { SOFTIRQ, SOFTIRQ } },
	{ BPF_PROG_TYPE_FLOW_DISSECTOR, { SOFTIRQ, SOFTIRQ } },
	{ BPF_PROG_TYPE_PERF_EVENT, { NMI, NMI } },
};

/* Tracepoints that are in interrupts alone; what a section's name ends with after "/". */
static const struct {
	const char *name;
	struct context context;
} hooks[] = {
	{ "irq_handler_entry", { HARDIRQ, HARDIRQ } },
	{ "irq_handler_exit", { HARDIRQ, HARDIRQ } },
	{ "local_timer_entry", { HARDIRQ, HARDIRQ } },
	{ "local_timer_exit", { HARDIRQ, HARDIRQ } },
	{ "softirq_entry", { SOFTIRQ, SOFTIRQ } },
	{ "softirq_exit", { SOFTIRQ, SOFTIRQ } },
	{ "timer_expire_entry", { SOFTIRQ, SOFTIRQ } },
	{ "timer_expire_exit", { SOFTIRQ, SOFTIRQ } },
	{ "nmi_handler", { NMI, NMI } },
};

static const char *hook_of(const struct check_prog *p)
{
	const char *slash = strrchr(p->section, '/');

	return *p->attach ? p->attach : slash ? slash + 1 : "";
}

static bool by_hook(const struct check_prog *p, struct context *c)
{
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		if (strcmp(hook_of(p), hooks[i].name))
			continue;
		*c = hooks[i].context;
		return true;
	}
	return false;
}

/* Sleepable programs, and BPF_PROG_TEST_RUN of any, run in tasks: that is for tests. */
static struct context context_of(const struct check_set *set, const struct site *site)
{
	const struct check_prog *p = &set->progs[site->prog];
	struct context c = { NMI, TASK };

	if (site->run == RUN_TIMER)
		return (struct context){ SOFTIRQ, SOFTIRQ };
	if (site->run == RUN_WORK)
		return (struct context){ TASK, TASK };
	if (by_hook(p, &c))
		return c;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == p->type)
			return types[i].context;
	return c;
}

static bool interrupts(const struct check_set *set, const struct site *inner,
		       const struct site *outer)
{
	enum level in = context_of(set, inner).highest, out = context_of(set, outer).lowest;

	return in > out && (!outer->irqs_off || in == NMI);
}

static void tell(const struct check_set *set, const struct site *outer, const struct site *inner,
		 bool certain, struct findings *f)
{
	const struct check_prog *p = &set->progs[outer->prog], *q = &set->progs[inner->prog];
	enum level level = context_of(set, inner).highest;
	char lock[LOCKTEXT_ROOM];
	struct finding *one;

	locktext(set, &outer->lock, lock, sizeof(lock));
	one = finding_add(
		f, certain ? FINDING_WARNING : FINDING_NOTE, certain ? "interrupt" : "undecided", p,
		outer->pc,
		"%s can be interrupted while it holds %s by %s, in %s, which takes %s lock%s",
		p->name, lock, q->name, level_names[level], certain ? "the same" : "such a",
		certain ? "" : "; whether it is the same depends on keys");
	finding_stage(f, one, q, inner->pc, "%s takes it here", q->name);
	if (one)
		one->fix = advice(level == NMI ? "nmi" : "interrupt");
}

/* Paths to one place with the lock are one thing to tell. */
static bool told(const struct record *r, size_t i, size_t j)
{
	for (size_t k = 0; k < i; k++)
		if (r->sites[k].prog == r->sites[i].prog && r->sites[k].pc == r->sites[i].pc)
			return true;
	for (size_t k = 0; k < j; k++)
		if (r->sites[k].prog == r->sites[j].prog && r->sites[k].pc == r->sites[j].pc)
			return true;
	return false;
}

void context_judge(const struct check_set *set, const struct record *record, struct findings *f)
{
	for (size_t i = 0; i < record->nr_sites; i++)
		for (size_t j = 0; j < record->nr_sites; j++) {
			const struct site *outer = &record->sites[i], *inner = &record->sites[j];
			bool certain;

			if (interrupts(set, inner, outer) &&
			    locks_meet(set, &outer->lock, &inner->lock, &certain) &&
			    !told(record, i, j))
				tell(set, outer, inner, certain, f);
		}
}
