// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "kernel/heldtab.h"
#include "base/log.h"
#include "kernel/kernelbtf.h"
#include "kernel/probe.h"
#include "kernel/probeobj.h"
#include "kernel/runqueues.h"
#include "kernel/progstream.h"

#define AA_TRIES	  8
#define LOAD_TRIES	  8
#define TRACEPOINT_PARAMS 8

struct answer {
	bool asked, yes, unknown;
	char why[160];
};

static struct answer answers[PROBE_NR];

static bool answer_no(char *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool answer_no(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(answers->why), fmt, ap);
	va_end(ap);
	return false;
}

static bool ask_privilege(char *why)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = -1;

	/*
	 * A tc program, since the samples need CAP_NET_ADMIN for it, besides CAP_BPF. libbpf's
	 * retries run out if the process is stopped and continued again and again.
	 */
	for (int tries = 0; fd < 0 && tries < LOAD_TRIES && (!tries || errno == EAGAIN); tries++)
		fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "rqspin_probe", "Dual BSD/GPL", insns,
				   2, NULL);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	if (errno == ENOSYS)
		return answer_no(why, "this kernel has no bpf(2): it lacks CONFIG_BPF_SYSCALL");
	if (errno == EPERM || errno == EACCES)
		return answer_no(why,
				 "not allowed to load BPF programs; run it as root (sudo), or with "
				 "CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN (trace, stat and held: "
				 "CAP_SYS_ADMIN)");
	return answer_no(why, "the smallest BPF program does not load: %s", strerror(errno));
}

/* Without sysfs the features of the kernel are unknown. */
static bool sysfs_is_missing(void)
{
	struct statfs fs;

	return statfs("/sys", &fs) || fs.f_type != SYSFS_MAGIC;
}

static bool ask_btf(char *why)
{
	const struct btf *btf = kernelbtf_get();

	if (!btf && sysfs_is_missing())
		return answer_no(
			why, "/sys is not mounted, so the kernel's BTF cannot be read: mount -t "
			     "sysfs sysfs /sys");
	if (!btf)
		return answer_no(why, "no BTF in /sys/kernel/btf/vmlinux: the kernel lacks "
				      "CONFIG_DEBUG_INFO_BTF");
	return true;
}

static const char *missing_in_btf(const char *const *names, unsigned int nr, int kind)
{
	const struct btf *btf = kernelbtf_get();
	const char *missing = NULL;

	for (unsigned int i = 0; i < nr && !missing; i++)
		if (!btf || btf__find_by_name_kind(btf, names[i], kind) < 0)
			missing = names[i];
	return missing;
}

static bool ask_program(const char *const *kfuncs, unsigned int nr, const char *name, char *why)
{
	const char *missing = missing_in_btf(kfuncs, nr, BTF_KIND_FUNC);
	struct probe_bpf *skel;
	int ret;

	if (missing)
		return answer_no(why, "the kernel has no %s()", missing);
	skel = probeobj_load(name, NULL);
	if (!skel)
		return answer_no(why,
				 "%s() is there, but a program that calls it does not load: %s",
				 kfuncs[0], strerror(errno));
	ret = probeobj_run(skel, name);
	probe_bpf__destroy(skel);
	return ret ? answer_no(why, "a program that calls %s() fails with %d", kfuncs[0], ret) :
		     true;
}

static bool ask_kfuncs(char *why)
{
	static const char *const names[] = { "bpf_res_spin_lock", "bpf_res_spin_unlock",
					     "bpf_res_spin_lock_irqsave",
					     "bpf_res_spin_unlock_irqrestore" };

	return ask_program(names, 4, "rqspin_lock", why);
}

static bool ask_local_irq(char *why)
{
	static const char *const names[] = { "bpf_local_irq_save", "bpf_local_irq_restore" };

	return ask_program(names, 2, "rqspin_irq", why);
}

static bool ask_unlock_ooo(char *why)
{
	static const char *const name[] = { "bpf_res_spin_unlock_ooo" };

	return !missing_in_btf(name, 1, BTF_KIND_FUNC) ||
	       answer_no(why, "the kernel has no %s()", *name);
}

static bool try_stream(struct probe_bpf *skel, char *why)
{
	int fd = probeobj_fd(skel, "rqspin_stream"), ret;
	char want[40], got[256] = "";

	skel->bss->nonce = now_ns();
	snprintf(want, sizeof(want), "rqspin %llu\n", (unsigned long long)skel->bss->nonce);
	ret = progstream_read(fd, PROGSTREAM_STDERR, got, sizeof(got) - 1);
	if (ret < 0)
		return answer_no(why, "the kernel has no program streams (bpf(2) command %d: %s)",
				 PROGSTREAM_COMMAND, strerror(-ret));
	ret = probeobj_run(skel, "rqspin_stream");
	if (ret == -ENOMEM)
		return answer_no(why, "stream memory cannot be allocated (boot option "
				      "deferred_init=lazy?)");
	if (ret < 0)
		return answer_no(why, "a program cannot write to its stream: %s", strerror(-ret));
	ret = progstream_read(fd, PROGSTREAM_STDERR, got, sizeof(got) - 1);
	if (ret < 0)
		return answer_no(why, "the stream cannot be read back: %s", strerror(-ret));
	if (strcmp(got, want))
		return answer_no(why, "the stream of a program does not hold what it wrote");
	return true;
}

static bool ask_stream(char *why)
{
	struct probe_bpf *skel = probeobj_load("rqspin_stream", NULL);
	bool yes;

	if (!skel)
		return answer_no(why, "the kernel has no bpf_stream_vprintk()");
	yes = try_stream(skel, why);
	probe_bpf__destroy(skel);
	return yes;
}

static bool ask_attach(const char *one, const char *two, char *why)
{
	struct probe_bpf *skel = probeobj_load(one, two);
	const char *failed;

	if (!skel)
		return answer_no(why, "a program does not load: %s", strerror(errno));
	failed = probeobj_attach(skel, one) ? one : two && probeobj_attach(skel, two) ? two : NULL;
	if (failed)
		answer_no(why, "a program does not attach: %s", strerror(errno));
	probe_bpf__destroy(skel);
	return !failed;
}

static bool ask_trampoline(char *why)
{
	struct probe_bpf *skel = probeobj_load("rqspin_fentry", "rqspin_fexit");
	bool yes = false;

	if (!skel)
		return answer_no(why, "fentry and fexit programs do not load: %s", strerror(errno));
	if (probeobj_attach(skel, "rqspin_fentry") || probeobj_attach(skel, "rqspin_fexit")) {
		answer_no(why, "fentry and fexit programs load but do not attach: %s",
			  strerror(errno));
		goto out;
	}
	probeobj_run(skel, "rqspin_fentry");
	yes = skel->bss->hits >= 2;
	if (!yes)
		answer_no(why, "fentry and fexit programs attach but are not called");
out:
	probe_bpf__destroy(skel);
	return yes;
}

static bool ask_contention(char *why)
{
	return ask_attach("rqspin_begin", "rqspin_end", why);
}

static bool ask_kprobe(char *why)
{
	return ask_attach("rqspin_kprobe", NULL, why);
}

static bool ask_held_table(char *why)
{
	struct heldtab *ht = heldtab_open(why, sizeof(answers->why));

	heldtab_close(ht);
	return ht;
}

static bool ask_other_tasks(char *why)
{
	__u64 addrs[HELD_CPUS];
	int err = runqueues_find(addrs);

	return !err ||
	       answer_no(why, "the run queues of other CPUs cannot be found: %s", strerror(-err));
}

static bool ask_map_elements(char *why)
{
	struct probe_bpf *skel = probeobj_load("rqspin_element", NULL);
	int err = errno;

	probe_bpf__destroy(skel);
	return skel ||
	       answer_no(why, "iterators over a map's elements do not load: %s", strerror(err));
}

static bool ask_res_locks(char *why)
{
	static const char *const name[] = { "rqspinlock_t" };

	return !missing_in_btf(name, 1, BTF_KIND_TYPEDEF) ||
	       answer_no(why, "the locks inside this kernel's maps cannot fail: it has no %s",
			 *name);
}

/*
 * Number of parameters of the tracepoint's probes, including their own data; 0: no such tracepoint.
 */
static int tracepoint_params(const struct btf *btf)
{
	__s32 id = btf__find_by_name_kind(btf, "btf_trace_rqspinlock_failure", BTF_KIND_TYPEDEF);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	while (t && (btf_is_typedef(t) || btf_is_ptr(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_func_proto(t) ? btf_vlen(t) : 0;
}

static bool ask_tracepoint(char *why)
{
	const struct btf *btf = kernelbtf_get();
	bool chain = btf && btf__find_by_name_kind(btf, "res_chain", BTF_KIND_STRUCT) > 0;
	int params = btf ? tracepoint_params(btf) : 0;

	if (!params)
		return answer_no(why, "the kernel has no tracepoint rqspinlock:rqspinlock_failure");
	if (params != TRACEPOINT_PARAMS || !chain)
		return answer_no(why,
				 "this release does not know this kernel's form of the tracepoint "
				 "rqspinlock:rqspinlock_failure");
	return true;
}

static bool (*const ask[PROBE_NR])(char *why) = {
	[PROBE_PRIVILEGE] = ask_privilege,     [PROBE_BTF] = ask_btf,
	[PROBE_KFUNCS] = ask_kfuncs,	       [PROBE_LOCAL_IRQ] = ask_local_irq,
	[PROBE_UNLOCK_OOO] = ask_unlock_ooo,   [PROBE_STREAM] = ask_stream,
	[PROBE_TRAMPOLINE] = ask_trampoline,   [PROBE_CONTENTION] = ask_contention,
	[PROBE_KPROBE] = ask_kprobe,	       [PROBE_HELD_TABLE] = ask_held_table,
	[PROBE_TRACEPOINT] = ask_tracepoint,   [PROBE_RES_LOCKS] = ask_res_locks,
	[PROBE_OTHER_TASKS] = ask_other_tasks, [PROBE_MAP_ELEMENTS] = ask_map_elements,
};

/*
 * If /sys or the privilege is missing, that is the answer to all other questions, not ten different
 * errors.
 */
static bool probe_possible(enum probe_id id, char *why)
{
	if (id != PROBE_PRIVILEGE && id != PROBE_BTF && !probe_works(PROBE_BTF) &&
	    sysfs_is_missing())
		return answer_no(why, "%s", probe_why(PROBE_BTF));
	if (id == PROBE_PRIVILEGE || id == PROBE_BTF || id == PROBE_TRACEPOINT || probe_privilege())
		return true;
	return answer_no(why, "needs the right to load BPF programs");
}

bool probe_works(enum probe_id id)
{
	struct answer *a = &answers[id];

	if (!a->asked) {
		a->asked = true;
		a->unknown = !probe_possible(id, a->why);
		log_trying(true);
		a->yes = !a->unknown && ask[id](a->why);
		log_trying(false);
		if (a->yes)
			a->why[0] = 0;
	}
	return a->yes;
}

bool probe_known(enum probe_id id)
{
	probe_works(id);
	return !answers[id].unknown;
}

bool probe_allowed(void)
{
	if (probe_privilege())
		return true;
	pr_err("%s", probe_why(PROBE_PRIVILEGE));
	return false;
}

const char *probe_why(enum probe_id id)
{
	probe_works(id);
	return answers[id].why;
}

/* If the beginning of the kernel's report can be traced, the time before it is the lock's. */
static struct probe_bpf *load_aa(void)
{
	struct probe_bpf *skel = NULL;

	log_trying(true);
	if (probe_works(PROBE_TRAMPOLINE))
		skel = probeobj_load("rqspin_aa", "rqspin_report");
	log_trying(false);
	if (skel && !probeobj_attach(skel, "rqspin_report"))
		return skel;
	probe_bpf__destroy(skel);
	return probeobj_load("rqspin_aa", NULL);
}

/* The best of several tries: the first one also pays for what was never touched before. */
uint64_t probe_aa_ns(bool *with_report)
{
	struct probe_bpf *skel = load_aa();
	uint64_t best = 0, ns;

	*with_report = probe_works(PROBE_STREAM);
	for (unsigned int i = 0; skel && i < AA_TRIES; i++) {
		if (probeobj_run(skel, "rqspin_aa") != -EDEADLK)
			break;
		ns = skel->bss->aa_ns;
		if (skel->bss->aa_report) {
			ns = skel->bss->aa_report - skel->bss->aa_start;
			*with_report = false;
		}
		if (!best || ns < best)
			best = ns;
	}
	probe_bpf__destroy(skel);
	return best;
}
