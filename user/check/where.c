// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "check/where.h"

#define BETWEEN(low, high, guard_) \
	{ .min = LEVEL_##low, .max = LEVEL_##high, .guard = GUARD_##guard_ }
#define OFF(low, high) { .min = LEVEL_##low, .max = LEVEL_##high, .irqs_off = true }
#define TASK	       BETWEEN(TASK, TASK, NONE)
#define SOFTIRQ	       BETWEEN(SOFTIRQ, SOFTIRQ, NONE)
#define HARDIRQ	       BETWEEN(HARDIRQ, HARDIRQ, NONE)
#define NMI	       BETWEEN(NMI, NMI, NONE)
#define NETWORK	       BETWEEN(TASK, SOFTIRQ, NONE) /* a task that sends, or a packet comes in */

#define PROG_TYPE_NETFILTER 32 /* since Linux 6.4: older headers lack it */

static const char *const level_names[] = { "a task", "a soft interrupt", "an interrupt", "an NMI" };

/*
 * Programs in no table may run anywhere but in an NMI: the hooks that run in NMIs are in a table.
 */
static const struct where anywhere = BETWEEN(TASK, HARDIRQ, NONE);

static const struct {
	unsigned int type; /* enum bpf_prog_type */
	struct where where;
} types[] = {
	{ BPF_PROG_TYPE_SYSCALL, TASK },
	{ BPF_PROG_TYPE_CGROUP_SOCK, TASK },
	{ BPF_PROG_TYPE_CGROUP_SOCK_ADDR, TASK },
	{ BPF_PROG_TYPE_CGROUP_SOCKOPT, TASK },
	{ BPF_PROG_TYPE_CGROUP_SYSCTL, TASK },
	{ BPF_PROG_TYPE_CGROUP_DEVICE, TASK },
	{ BPF_PROG_TYPE_SK_MSG, TASK },
	{ BPF_PROG_TYPE_XDP, SOFTIRQ },
	{ BPF_PROG_TYPE_SCHED_CLS, SOFTIRQ },
	{ BPF_PROG_TYPE_SCHED_ACT, SOFTIRQ },
	{ BPF_PROG_TYPE_LWT_IN, SOFTIRQ },
	{ BPF_PROG_TYPE_LWT_OUT, SOFTIRQ },
	{ BPF_PROG_TYPE_LWT_XMIT, SOFTIRQ },
	{ BPF_PROG_TYPE_LWT_SEG6LOCAL, SOFTIRQ },
	{ BPF_PROG_TYPE_FLOW_DISSECTOR, SOFTIRQ },
	{ BPF_PROG_TYPE_SOCKET_FILTER, NETWORK },
	{ BPF_PROG_TYPE_CGROUP_SKB, NETWORK },
	{ BPF_PROG_TYPE_SOCK_OPS, NETWORK },
	{ BPF_PROG_TYPE_SK_SKB, NETWORK },
	{ BPF_PROG_TYPE_SK_LOOKUP, NETWORK },
	{ BPF_PROG_TYPE_SK_REUSEPORT, NETWORK },
	{ PROG_TYPE_NETFILTER, NETWORK },
	{ BPF_PROG_TYPE_LSM, NETWORK },
	{ BPF_PROG_TYPE_PERF_EVENT, BETWEEN(NMI, NMI, ALL) },
	{ BPF_PROG_TYPE_KPROBE, BETWEEN(TASK, HARDIRQ, ALL) },
	{ BPF_PROG_TYPE_TRACEPOINT, BETWEEN(TASK, HARDIRQ, ALL) },
	{ BPF_PROG_TYPE_RAW_TRACEPOINT, BETWEEN(TASK, HARDIRQ, OWN) },
	{ BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE, BETWEEN(TASK, HARDIRQ, OWN) },
	{ BPF_PROG_TYPE_TRACING, BETWEEN(TASK, HARDIRQ, OWN) },
};

/* Sections that are more precise than the type; their names without what comes after "/". */
static const struct {
	const char *name;
	struct where where;
} sections[] = {
	{ "iter", TASK },
	{ "uprobe", TASK },
	{ "uretprobe", TASK },
	{ "uprobe.multi", TASK },
	{ "uretprobe.multi", TASK },
	{ "uprobe.session", TASK },
	{ "usdt", TASK },
	{ "ksyscall", BETWEEN(TASK, TASK, ALL) },
	{ "kretsyscall", BETWEEN(TASK, TASK, ALL) },
};

/* Hooks with a known context. A name that ends in "*" matches by its beginning. */
static const struct {
	const char *name;
	struct where where;
} hooks[] = {
	{ "irq_handler_entry", HARDIRQ },
	{ "irq_handler_exit", HARDIRQ },
	{ "local_timer_entry", HARDIRQ },
	{ "local_timer_exit", HARDIRQ },
	{ "softirq_entry", SOFTIRQ },
	{ "softirq_exit", SOFTIRQ },
	{ "timer_expire_entry", SOFTIRQ },
	{ "timer_expire_exit", SOFTIRQ },
	{ "nmi_handler", NMI },
	{ "sched_switch", OFF(TASK, TASK) },
	{ "sched_waking", OFF(TASK, HARDIRQ) },
	{ "sched_wakeup", OFF(TASK, HARDIRQ) },
	{ "sched_wakeup_new", OFF(TASK, HARDIRQ) },
	{ "sys_enter*", TASK },
	{ "sys_exit*", TASK },
	{ "__x64_sys_*", TASK },
	{ "__arm64_sys_*", TASK },
	{ "__do_sys_*", TASK },
	{ "bpf_iter_*", TASK },
	/* Tables of functions (struct_ops). */
	{ "sched_ext_ops", OFF(TASK, HARDIRQ) },
	{ "tcp_congestion_ops", NETWORK },
	{ "Qdisc_ops", SOFTIRQ },
	{ "bpf_dummy_ops", TASK },
};

/* LSM hooks that run in tasks. All others may be in the network's paths. */
static const char *const lsm_tasks[] = {
	"file_open",	 "file_ioctl",	"file_permission", "file_lock",	    "file_fcntl",
	"path_*",	 "inode_c*",	"inode_l*",	   "inode_m*",	    "inode_r*",
	"inode_s*",	 "inode_u*",	"inode_get*",	   "inode_perm*",   "bprm_*",
	"sb_*",		 "mmap_*",	"ptrace_*",	   "task_alloc",    "task_fix*",
	"socket_create", "socket_bind", "socket_connect",  "socket_sendmsg"
};

const char *where_section(const struct check_prog *p)
{
	return p->section + (*p->section == '?');
}

const char *where_hook(const struct check_prog *p)
{
	const char *slash = strrchr(p->section, '/');

	return *p->attach ? p->attach : slash ? slash + 1 : "";
}

static bool name_matches(const char *row, const char *name)
{
	size_t len = strlen(row);

	if (len && row[len - 1] == '*')
		return !strncmp(row, name, len - 1);
	return !strcmp(row, name);
}

/* "fentry.s/...": libbpf loads it as one that may sleep. */
static bool may_sleep(const char *section, size_t len)
{
	return len > 2 && !strncmp(section + len - 2, ".s", 2);
}

static bool where_by_section(const struct check_prog *p, struct where *w)
{
	const char *section = where_section(p);
	size_t len = strcspn(section, "/");

	if (may_sleep(section, len)) {
		*w = (struct where)TASK;
		return true;
	}
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (strlen(sections[i].name) != len || strncmp(sections[i].name, section, len))
			continue;
		*w = sections[i].where;
		return true;
	}
	return false;
}

static bool where_by_hook(const struct check_prog *p, struct where *w)
{
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		if (!name_matches(hooks[i].name, where_hook(p)))
			continue;
		*w = hooks[i].where;
		return true;
	}
	return false;
}

static bool where_by_lsm_hook(const struct check_prog *p, struct where *w)
{
	const char *hook = where_hook(p), *prefix = "bpf_lsm_";

	if (!strncmp(hook, prefix, strlen(prefix)))
		hook += strlen(prefix);
	for (size_t i = 0; i < sizeof(lsm_tasks) / sizeof(lsm_tasks[0]); i++)
		if (p->type == BPF_PROG_TYPE_LSM && name_matches(lsm_tasks[i], hook)) {
			*w = (struct where)TASK;
			return true;
		}
	return false;
}

static struct where where_by_type(const struct check_prog *p)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == p->type)
			return types[i].where;
	return anywhere;
}

/* BPF_PROG_TEST_RUN, which runs any program in a task, is for tests and does not count. */
struct where where_of(const struct check_set *set, const struct site *site)
{
	const struct check_prog *p = &set->progs[site->prog];
	struct where by_type = where_by_type(p), w;

	switch (site->run) {
	case RUN_TIMER:
		return (struct where)SOFTIRQ;
	case RUN_WORK:
		return (struct where)TASK;
	case RUN_SOMEWHERE:
		return anywhere;
	default:
		break;
	}
	/*
	 * A program of this type without a section may be a uprobe, which others of its kind may
	 * interrupt.
	 */
	if (!*p->section && by_type.guard == GUARD_ALL && p->type == BPF_PROG_TYPE_KPROBE)
		by_type.guard = GUARD_OWN;
	if (where_by_section(p, &w))
		return w;
	if (!where_by_hook(p, &w) && !where_by_lsm_hook(p, &w))
		return by_type;
	w.guard = by_type.guard;
	return w;
}

bool where_excluded(const struct where *in, const struct where *out, const struct site *inner,
		    const struct site *outer)
{
	if (inner->run != RUN_PROGRAM || outer->run != RUN_PROGRAM)
		return false;
	return (in->guard == GUARD_ALL && out->guard == GUARD_ALL) ||
	       (in->guard != GUARD_NONE && inner->prog == outer->prog);
}

const char *where_text(enum level level)
{
	return level_names[level];
}
