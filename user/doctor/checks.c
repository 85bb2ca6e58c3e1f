// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <bpf/btf.h>

#include "base/cpus.h"
#include "base/duration.h"
#include "doctor/checks.h"
#include "doctor/lockmode.h"
#include "kernel/kconfig.h"
#include "kernel/kernelbtf.h"
#include "kernel/maplocks.h"
#include "kernel/nestfree.h"
#include "kernel/probe.h"
#include "events/sources/table.h"
#include "events/source.h"

#define AA_AT_ONCE_NS 100000

static enum check_state from_probe(enum probe_id id, char *detail, size_t size)
{
	snprintf(detail, size, "%s", probe_why(id));
	return probe_works(id) ? CHECK_YES : probe_known(id) ? CHECK_NO : CHECK_UNKNOWN;
}

#define DEFINE_LOOK(name, id)                                   \
	static enum check_state name(char *detail, size_t size) \
	{                                                       \
		return from_probe(id, detail, size);            \
	}

DEFINE_LOOK(look_privilege, PROBE_PRIVILEGE)
DEFINE_LOOK(look_btf, PROBE_BTF)
DEFINE_LOOK(look_kfuncs, PROBE_KFUNCS)
DEFINE_LOOK(look_local_irq, PROBE_LOCAL_IRQ)
DEFINE_LOOK(look_unlock_ooo, PROBE_UNLOCK_OOO)
DEFINE_LOOK(look_stream, PROBE_STREAM)
DEFINE_LOOK(look_trampoline, PROBE_TRAMPOLINE)
DEFINE_LOOK(look_contention, PROBE_CONTENTION)
DEFINE_LOOK(look_kprobe, PROBE_KPROBE)
DEFINE_LOOK(look_held_table, PROBE_HELD_TABLE)
DEFINE_LOOK(look_tracepoint, PROBE_TRACEPOINT)
DEFINE_LOOK(look_other_tasks, PROBE_OTHER_TASKS)
DEFINE_LOOK(look_map_elements, PROBE_MAP_ELEMENTS)

static enum check_state look_kernel(char *detail, size_t size)
{
	struct utsname uts;

	uname(&uts);
	snprintf(detail, size, "%s %s", uts.release, uts.machine);
	return CHECK_YES;
}

/* Identify the lock by its features: a kernel of any release may carry patches. */
static enum check_state look_lock(char *detail, size_t size)
{
	if (!probe_works(PROBE_BTF)) {
		snprintf(detail, size, "unknown without BTF");
		return CHECK_UNKNOWN;
	}
	if (probe_works(PROBE_TRACEPOINT))
		snprintf(detail, size,
			 "this project's: owner in the lock, cycles of any length, "
			 "failure tracepoint");
	else if (probe_works(PROBE_KFUNCS) || probe_works(PROBE_HELD_TABLE))
		snprintf(detail, size, "the kernel's own: AA and ABBA, longer cycles by timeout");
	else if (!probe_known(PROBE_KFUNCS)) {
		snprintf(detail, size, "%s", probe_why(PROBE_KFUNCS));
		return CHECK_UNKNOWN;
	} else
		snprintf(detail, size, "none");
	return CHECK_YES;
}

static const char *costs_held_table(void)
{
	return probe_works(PROBE_TRACEPOINT) ?
		       "'held' does not work; 'trace' shows the other side" :
		       NULL;
}

static const char *fix_held_table(void)
{
	return probe_works(PROBE_TRACEPOINT) ? "none: this project's lock has no such table; its "
					       "tracepoint reports the other side" :
					       NULL;
}

/* Are all locks inside maps seen by some source? If not, the detail names the map types. */
static enum check_state look_map_locks(char *detail, size_t size)
{
	const struct btf *btf = kernelbtf_get();
	unsigned int unseen = 0, seen = 0;
	struct maplocks locks;
	char why[8];

	maplocks_read(btf, &locks);
	for (size_t i = 0; trace_sources[i]; i++)
		if (trace_sources[i]->sees && trace_sources[i]->usable(why, sizeof(why)))
			seen |= trace_sources[i]->sees(NULL);
	unseen = maplocks_resilient(&locks) & ~seen;
	maplocks_types(unseen, detail, size);
	return !btf ? CHECK_UNKNOWN : unseen ? CHECK_NO : CHECK_YES;
}

static enum check_state look_cpus(char *detail, size_t size)
{
	int cpus[OPT_CPUS_MAX];
	int nr = cpus_usable(cpus);

	snprintf(detail, size, "%d usable of %ld online", nr, sysconf(_SC_NPROCESSORS_ONLN));
	return nr > 1 ? CHECK_YES : CHECK_NO;
}

static enum check_state look_mode(char *detail, size_t size)
{
	enum lock_mode mode;
	const char *why;

	if (!probe_kfuncs()) {
		snprintf(detail, size, "needs the lock kfuncs");
		return CHECK_UNKNOWN;
	}
	mode = lock_mode_watch(&why);
	snprintf(detail, size, "%s%s",
		 mode == MODE_QUEUE ? "queue: " :
		 mode == MODE_TAS   ? "test-and-set, unfair, 1 s timeout: " :
				      "",
		 why);
	return mode == MODE_QUEUE ? CHECK_YES : mode == MODE_TAS ? CHECK_NO : CHECK_UNKNOWN;
}

static enum check_state look_nest_free(char *detail, size_t size)
{
	enum nest_free found = probe_kfuncs() ? nest_free_here() : NEST_FREE_UNKNOWN;

	if (found == NEST_FREE_UNKNOWN)
		snprintf(detail, size, "%s",
			 probe_kfuncs() ? "the kernel's BTF does not say" :
					  "needs the lock kfuncs");
	else
		snprintf(detail, size, "by the kernel's BTF; not tried, as the kernel would warn");
	return found == NEST_FREE_DONE	? CHECK_YES :
	       found == NEST_FREE_LEAKS ? CHECK_NO :
					  CHECK_UNKNOWN;
}

/* Not tried: it would hang a machine that has the fault. */
static enum check_state look_interrupted(char *detail, size_t size)
{
	if (!probe_kfuncs()) {
		snprintf(detail, size, "needs the lock kfuncs");
		return CHECK_UNKNOWN;
	}
	if (probe_works(PROBE_TRACEPOINT)) {
		snprintf(detail, size, "this project's lock: whoever waits looks at a clock");
		return CHECK_YES;
	}
	snprintf(detail, size,
		 "not tried: Linux 6.15 to 7.3 can hang for ever behind an "
		 "interrupted waiter; the _irqsave functions prevent it");
	return CHECK_UNKNOWN;
}

/*
 * Not tried either: the fault needs a window of a few instructions, or all free lists of a machine
 * locked.
 */
static enum check_state look_long_waits(char *detail, size_t size)
{
	if (!probe_kfuncs()) {
		snprintf(detail, size, "needs the lock kfuncs");
		return CHECK_UNKNOWN;
	}
	if (probe_works(PROBE_TRACEPOINT)) {
		snprintf(detail, size, "this project's lock: each wait has a time limit");
		return CHECK_YES;
	}
	snprintf(
		detail, size,
		"not tried: the kernel's own lock may wait without a limit for the next waiter, 250 "
		"ms for its 31st lock, and in free lists of maps (KNOWN_ISSUES.md)");
	return CHECK_UNKNOWN;
}

static enum check_state look_aa(char *detail, size_t size)
{
	bool with_report = false;
	uint64_t ns = probe_kfuncs() ? probe_aa_ns(&with_report) : 0;
	char buf[16];

	if (!ns) {
		snprintf(detail, size, "cannot be measured");
		return CHECK_UNKNOWN;
	}
	snprintf(detail, size, "%s until the error: %s", format_ns(ns, buf),
		 ns < AA_AT_ONCE_NS ? "checked at entry" :
		 with_report	    ? "an unknown part of it writes the kernel's report" :
				      "checked only after spinning for a while");
	return ns < AA_AT_ONCE_NS ? CHECK_YES : with_report ? CHECK_UNKNOWN : CHECK_NO;
}

static enum check_state look_lockdown(char *detail, size_t size)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[80], mode[32];

	if (!f) {
		snprintf(detail, size, "%s",
			 errno == ENOENT ? "no /sys/kernel/security/lockdown: none, or securityfs "
					   "is not mounted" :
					   strerror(errno));
		return CHECK_UNKNOWN;
	}
	if (!fgets(line, sizeof(line), f) || !strchr(line, '[') ||
	    sscanf(strchr(line, '['), "[%31[^]]", mode) != 1)
		snprintf(mode, sizeof(mode), "unreadable");
	fclose(f);
	snprintf(detail, size, "%s%s", mode,
		 strcmp(mode, "integrity") ? "" : " (does not affect rqspin)");
	/* In this mode the kernel refuses kprobes and reads of its memory. */
	return strcmp(mode, "confidentiality") ? CHECK_YES : CHECK_NO;
}

static enum check_state look_mount(const char *type, char *detail, size_t size)
{
	enum check_state found = CHECK_NO;
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	snprintf(detail, size, "not mounted");
	while (f && found == CHECK_NO && (m = getmntent(f))) {
		if (strcmp(m->mnt_type, type))
			continue;
		snprintf(detail, size, "%s", m->mnt_dir);
		found = CHECK_YES;
	}
	if (f)
		endmntent(f);
	return found;
}

static enum check_state look_bpffs(char *detail, size_t size)
{
	return look_mount("bpf", detail, size);
}

static enum check_state look_tracefs(char *detail, size_t size)
{
	return look_mount("tracefs", detail, size);
}

static enum check_state look_debugfs(char *detail, size_t size)
{
	return look_mount("debugfs", detail, size);
}

static const char *costs_other_source(void)
{
	return probe_works(PROBE_TRACEPOINT) ? "nothing: the lock's tracepoint shows all of it" :
					       NULL;
}

static const char *costs_trampoline(void)
{
	if (!probe_works(PROBE_TRACEPOINT) && probe_works(PROBE_STREAM))
		return "failures show neither the owner (except AA) nor their exact time";
	return costs_other_source();
}

static const char *fix_btf(void)
{
	return probe_known(PROBE_KFUNCS) || !probe_privilege() ? NULL : "mount -t sysfs sysfs /sys";
}

static const char *fix_trampoline(void)
{
	static const char *const options[] = { "CONFIG_FUNCTION_TRACER",
					       "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS",
					       "CONFIG_BPF_JIT" };

	if (!kconfig_has(options, sizeof(options) / sizeof(options[0])))
		return NULL;
	return "another machine or a guest (in the sources: make vm); the kernel has the options, but "
	       "a policy or the hypervisor forbids them";
}

const char *check_costs(const struct check *c)
{
	const char *here = c->costs_here ? c->costs_here() : NULL;

	return here ? here : c->costs;
}

const char *check_fix(const struct check *c)
{
	const char *here = c->fix_here ? c->fix_here() : NULL;

	return here ? here : c->fix;
}

const struct check checks[] = {
	{ "kernel", "kernel", NULL, NULL, false, .look = look_kernel, .value = true },
	{ "privilege", "right to load BPF programs", "rqspin cannot work without it",
	  "run it as root (sudo)", true, .look = look_privilege },
	{ "btf", "kernel BTF", "rqspin cannot work without it",
	  "use a kernel with CONFIG_DEBUG_INFO_BTF; distribution kernels have it", true,
	  .look = look_btf, .fix_here = fix_btf },
	{ "lock", "resilient lock", NULL, NULL, false, .look = look_lock, .value = true },
	{ "kfuncs", "resilient lock kfuncs", "programs have only the fallback lock",
	  "Linux 6.15 or later, or 6.12 with this project's patches (kernel-patches/README.md of the "
	  "sources)",
	  true, .look = look_kfuncs },
	{ "local_irq", "bpf_local_irq_save/restore",
	  "programs control interrupts only by irqsave locks",
	  "Linux 6.14 or later, or 6.12 with this project's patches", false,
	  .look = look_local_irq },
	{ "unlock_ooo", "bpf_res_spin_unlock_ooo", "programs must release locks in reverse order",
	  "Linux 6.12 with this project's patches; no later kernel has it", false,
	  .look = look_unlock_ooo },
	{ "held_table", "table of held locks",
	  "no names of the other side's locks; 'held' does not work",
	  "Linux 6.15 or later with BTF", false, .look = look_held_table,
	  .costs_here = costs_held_table, .fix_here = fix_held_table },
	{ "other_tasks", "tasks on other CPUs", "'trace' does not show what runs on an owner's CPU",
	  "a kernel with CONFIG_FAIR_GROUP_SCHED or CONFIG_KALLSYMS_ALL", false,
	  .look = look_other_tasks },
	{ "map_elements", "elements of maps",
	  "a lock in an element of a hash map without preallocation is shown by address, without its "
	  "key and field",
	  "another machine or a guest (in the sources: make vm); a policy forbids such iterators",
	  false, .look = look_map_elements },
	{ "stream", "program error streams",
	  "failures that a program does not report with res_events.bpf.h are not seen",
	  "Linux 6.17 or later, booted without deferred_init=lazy, or 6.12 with this project's patches",
	  false, .look = look_stream, .costs_here = costs_other_source },
	{ "trampoline", "fentry and fexit",
	  "only failures that a program reports with res_events.bpf.h are seen, without the owner",
	  "a kernel with CONFIG_BPF_JIT, CONFIG_FUNCTION_TRACER and "
	  "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS, such as a distribution's",
	  false, .look = look_trampoline, .costs_here = costs_trampoline,
	  .fix_here = fix_trampoline },
	{ "contention", "contention tracepoints", "failures inside maps are not seen",
	  "Linux 5.19 or later", false, .look = look_contention, .costs_here = costs_other_source },
	{ "kprobe", "kprobes",
	  "the source stream does not notice when another reader, such as bpftool, takes reports",
	  "a kernel with CONFIG_KPROBES", false, .look = look_kprobe },
	{ "tracepoint", "tracepoint rqspinlock_failure",
	  "failures are combined from several sources; owners and cycles are inferred",
	  "this project's kernel patches (kernel-patches/README.md of the sources)", false,
	  .look = look_tracepoint },
	{ "map_locks", "locks inside maps",
	  "not all failed locks inside maps of these types are seen, and 'trace --strict' exits with 4 if "
	  "such a map is in use",
	  "a kernel with fentry and fexit shows those of hash and LRU maps and of local storage; all "
	  "are shown by 6.12 with this project's patches",
	  false, .look = look_map_locks },
	{ "queue", "waiters queue",
	  "waiters are not fair, and a timeout takes 1 s instead of 250 ms",
	  "bare metal, or a guest without the hypervisor CPU bit (QEMU: -cpu max,-hypervisor); on 6.12 "
	  "with this project's patches rqspinlock=queue on the kernel's command line",
	  false, .look = look_mode },
	{ "aa_at_once", "AA found at entry", "an AA costs its program 1 to 2 ms",
	  "a kernel whose lock checks for AA before it waits: upstream's fix of November 2025 "
	  "(5860f5ce479f), or 6.12 with this project's patches",
	  false, .look = look_aa },
	{ "nested_free", "lists under locks are freed",
	  "objects in a list or tree under bpf_res_spin_lock are leaked when its element or map goes, "
	  "and the kernel warns once",
	  "take the objects out first, or use bpf_spin_lock there (KNOWN_ISSUES.md)", false,
	  .look = look_nest_free },
	{ "interrupted", "interrupted waiters", NULL, NULL, false, .look = look_interrupted },
	{ "long_waits", "rare long waits", NULL, NULL, false, .look = look_long_waits },
	{ "cpus", "more than one CPU", "samples with several roles do not run",
	  "a machine or guest with more CPUs (in the sources: make vm)", false, .look = look_cpus },
	{ "lockdown", "kernel lockdown",
	  "programs may not read kernel memory: some do not load, and cycles in the fallback lock "
	  "end by timeout",
	  "boot without lockdown=confidentiality", false, .look = look_lockdown, .value = true },
	{ "bpffs", "BPF file system",
	  "programs cannot be pinned: 'bpftool prog load' mounts it, 'loadall' and others may not",
	  "mount -t bpf bpf /sys/fs/bpf", false, .look = look_bpffs },
	{ "tracefs", "tracefs", "nothing: rqspin does not need it",
	  "mount -t tracefs tracefs /sys/kernel/tracing", false, .look = look_tracefs },
	{ "debugfs", "debugfs",
	  "nothing: rqspin does not need it (it only adds counts of lock events)",
	  "mount -t debugfs debugfs /sys/kernel/debug", false, .look = look_debugfs },
};

const size_t nr_checks = sizeof(checks) / sizeof(checks[0]);
