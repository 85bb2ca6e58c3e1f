// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel/heldtab.h"
#include "base/log.h"
#include "base/rehearse.h"
#include "kernel/probe.h"
#include "run/pins.h"
#include "run/progs.h"
#include "run/refusal.h"
#include "run/workload.h"

#define LOAD_TRIES	  20
#define LOG_SIZE	  (1 << 20)
#define STATS_MAP	  ".bss.sample"
#define STATS_SIZE	  (SAMPLE_CPUS * sizeof(struct sample_stats))
#define FLAG_OF_NO_KERNEL (1U << 31) /* BPF_PROG_LOAD refuses flags that it does not know */

static int workload_open(struct workload *w, const char *path)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts);
	int err;

	w->path = path;
	if (access(path, R_OK)) {
		pr_err("%s: %s", path, strerror(errno));
		return -EACCES;
	}
	w->log = calloc(1, LOG_SIZE);
	if (!w->log) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	opts.kernel_log_buf = w->log;
	opts.kernel_log_size = LOG_SIZE;
	w->obj = bpf_object__open_file(path, &opts);
	if (w->obj)
		return 0;
	err = errno;
	/* The file exists, but a symbol that the object refers to does not. */
	if (err == ENOENT || err == ESRCH)
		pr_err("%s: neither the object nor this kernel defines one of its externs (-vv shows "
		       "which; if it is res_fb_state, RES_FALLBACK_DEFINE is missing)",
		       path);
	else if (err == EINVAL || err >= LIBBPF_ERRNO__LIBELF)
		pr_err("%s: not a BPF object, or a damaged one; -vv shows what libbpf says", path);
	else
		pr_err("%s: %s; -vv shows what libbpf says", path, strerror(err));
	return -ENOEXEC;
}

static const struct bpf_program *not_loaded(struct workload *w)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, w->obj) if (bpf_program__autoload(prog) &&
						       bpf_program__fd(prog) < 0) return prog;
	return NULL;
}

static void explain_refusal(const struct workload *w, const char *prog, const struct refusal *r)
{
	pr_err("%s: the verifier refuses %s: %s%s%s%s%s", w->path, prog, r->reason,
	       *r->at || *r->text ? "; at " : "", r->at, *r->at && *r->text ? ": " : "", r->text);
	if (*r->cause)
		pr_info("    %s", r->cause);
	if (*r->lock_at)
		pr_info("    the lock that is held was taken at %s", r->lock_at);
	if (*r->suggestion)
		pr_info("    the kernel suggests: %s", r->suggestion);
	log_verbatim(w->log);
}

static int explain_load(struct workload *w, int err)
{
	const struct bpf_program *prog = not_loaded(w);
	struct refusal refusal;

	if (err == EMFILE || err == ENFILE) {
		pr_err("%s: cannot be loaded: %s: raise the limit (ulimit -n)", w->path,
		       strerror(err));
		return -err;
	}
	if (!probe_privilege()) {
		pr_err("%s", probe_why(PROBE_PRIVILEGE));
		return -EOPNOTSUPP;
	}
	if (!probe_kfuncs() && !probe_known(PROBE_KFUNCS)) {
		pr_err("%s: cannot be loaded: %s", w->path, probe_why(PROBE_KFUNCS));
		return -EOPNOTSUPP;
	}
	if (!probe_kfuncs()) {
		pr_err("%s: this kernel has no resilient locks (%s); 'rqspin doctor' says how to "
		       "get them",
		       w->path, probe_why(PROBE_KFUNCS));
		return -EOPNOTSUPP;
	}
	if (refusal_find(w->log, &refusal))
		explain_refusal(w, prog ? bpf_program__name(prog) : "a program", &refusal);
	else
		pr_err("%s: cannot be loaded: %s; -vv shows what libbpf says", w->path,
		       strerror(err));
	return -EACCES;
}

static int choose_role(struct workload *w, struct role *r)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(w->obj, r->prog);
	enum bpf_prog_type type;
	char names[512];

	if (!prog) {
		progs_names(w->obj, names, sizeof(names));
		pr_err("%s: no program '%s'; it has: %s", w->path, r->prog, names);
		return -ENOENT;
	}
	type = bpf_program__type(prog);
	r->prog_type = type;
	switch (type) {
	case BPF_PROG_TYPE_XDP:
	case BPF_PROG_TYPE_SOCKET_FILTER:
	case BPF_PROG_TYPE_CGROUP_SKB:
		r->verdict = true;
		/* fallthrough */
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
		r->batch = true;
		break;
	case BPF_PROG_TYPE_SYSCALL:
		r->ctx = true;
		break;
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
		break;
	default:
		pr_err("%s: %s is a %s program, which BPF_PROG_TEST_RUN cannot drive; "
		       "use tc, xdp, socket, cgroup_skb, syscall or raw_tp",
		       w->path, r->prog, libbpf_bpf_prog_type_str(type) ?: "unknown");
		return -ENOEXEC;
	}
	return bpf_program__set_autoload(prog, true) ? -EBUSY : 0;
}

static int workload_choose(struct workload *w, struct role *roles, unsigned int nr,
			   const char *const attach[2])
{
	struct bpf_program *prog;
	int err;

	bpf_object__for_each_program(prog, w->obj) bpf_program__set_autoload(prog, false);
	for (unsigned int i = 0; i < nr; i++) {
		err = choose_role(w, &roles[i]);
		if (err)
			return err;
	}
	for (unsigned int i = 0; i < 2 && attach[i]; i++) {
		prog = bpf_object__find_program_by_name(w->obj, attach[i]);
		if (!prog || bpf_program__set_autoload(prog, true)) {
			pr_err("%s: no program '%s'", w->path, attach[i]);
			return -ENOENT;
		}
	}
	return 0;
}

static int attach_all(struct workload *w, const char *const attach[2])
{
	for (unsigned int i = 0; i < 2 && attach[i]; i++) {
		struct bpf_link *link =
			bpf_program__attach(bpf_object__find_program_by_name(w->obj, attach[i]));

		if (!link) {
			pr_err("%s: %s cannot be attached: %s", w->path, attach[i],
			       strerror(errno));
			return -EOPNOTSUPP;
		}
		w->links[w->nr_links++] = link;
	}
	return 0;
}

/* libbpf maps an object's globals into memory only for skeletons. */
static int map_stats(struct workload *w)
{
	struct bpf_map *map = bpf_object__find_map_by_name(w->obj, STATS_MAP);
	void *mem;

	if (!map)
		return 0;
	if (bpf_map__value_size(map) != STATS_SIZE) {
		pr_err("%s: its %s has another version; rebuild it", w->path, STATS_MAP);
		return -ENOEXEC;
	}
	mem = mmap(NULL, STATS_SIZE, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (mem == MAP_FAILED) {
		pr_err("%s: its counters cannot be mapped: %s", w->path, strerror(errno));
		return -ENOMEM;
	}
	w->stats = mem;
	return 0;
}

static void set_prog(struct workload *w, struct role *r)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	r->prog_fd = bpf_program__fd(bpf_object__find_program_by_name(w->obj, r->prog));
	if (!bpf_prog_get_info_by_fd(r->prog_fd, &info, &size))
		r->prog_id = info.id;
	pr_debug("%s is program %u, on CPU %d", r->prog, r->prog_id, r->cpu);
}

/*
 * The kernel refuses these flags, so no program is loaded: tracers would report programs that come
 * and go as missed, even if they never run.
 */
static void load_nothing(struct workload *w)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, w->obj) bpf_program__set_flags(prog, FLAG_OF_NO_KERNEL);
}

static void skip_programs(struct workload *w)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, w->obj) bpf_program__set_autoload(prog, false);
}

static int workload_load(struct workload *w, struct role *roles, unsigned int nr,
			 const char *const attach[2])
{
	int err = workload_choose(w, roles, nr, attach);

	if (err)
		return err;
	if (w->maps_only)
		skip_programs(w);
	pins_none(w->obj, !w->rehearsal);
	if (w->rehearsal)
		load_nothing(w);
	if (bpf_object__load(w->obj)) {
		err = errno;
		if (w->rehearsal || (err == EAGAIN && !w->last_try))
			return -err;
		return explain_load(w, err);
	}
	for (unsigned int i = 0; i < nr && !w->maps_only; i++)
		set_prog(w, &roles[i]);
	err = map_stats(w);
	if (err)
		return err;
	if (heldtab_arm_object(w->obj))
		pr_debug("%s: its events will not list the held locks", w->path);
	return attach_all(w, attach);
}

void workload_close(struct workload *w)
{
	while (w->nr_links)
		bpf_link__destroy(w->links[--w->nr_links]);
	if (w->stats)
		munmap((void *)w->stats, STATS_SIZE);
	bpf_object__close(w->obj);
	free(w->log);
}

/* A stop, or a debugger that attaches, ends the verifier's work early. */
int workload_start(struct workload *w, const char *path, struct role *roles, unsigned int nr,
		   const char *const attach[2])
{
	for (unsigned int tries = 1;; tries++) {
		int err = workload_open(w, path);

		w->last_try = tries == LOAD_TRIES;
		if (!err)
			err = workload_load(w, roles, nr, attach);
		if (err != -EAGAIN || w->last_try)
			return err;
		workload_close(w);
		*w = (struct workload){ .rehearsal = w->rehearsal, .maps_only = w->maps_only };
	}
}

struct rehearsal {
	const char *path;
	struct role *roles;
	unsigned int nr;
};

static void open_and_load(void *data)
{
	static const char *const none[2];
	const struct rehearsal *r = data;
	struct workload w = { .rehearsal = true };

	workload_start(&w, r->path, r->roles, r->nr, none);
	workload_close(&w);
}

int workload_rehearse(const char *path, struct role *roles, unsigned int nr)
{
	struct rehearsal r = { path, roles, nr };
	int sig = rehearse_in_child(open_and_load, &r);

	if (!sig)
		return 0;
	pr_err("%s: %s", path, rehearse_text(sig));
	return -ENOEXEC;
}
