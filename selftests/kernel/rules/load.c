// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "load.h"

static const struct {
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	__u32 flags;
} kinds[NR_ENVS] = {
	[ENV_TC] = { BPF_PROG_TYPE_SCHED_CLS, 0, 0 },
	[ENV_SYSCALL] = { BPF_PROG_TYPE_SYSCALL, 0, BPF_F_SLEEPABLE },
	[ENV_FENTRY] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, 0 },
	[ENV_ITER_RES] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, 0 },
	[ENV_ITER_PLAIN] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, 0 },
	[ENV_ITER_NUMBER] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, 0 },
};

bool is_refusal(int err)
{
	return err == -EACCES || err == -EINVAL || err == -EPERM;
}

static int attach_target(const struct kernel *k, enum env env)
{
	if (env == ENV_FENTRY)
		return k->entry;
	return is_map_iter(env) ? k->iter : 0;
}

static int load_insns(struct loader *l, enum env env, bool want_log)
{
	struct bpf_func_info funcs[MAX_FUNCS + 1];
	int i, target = attach_target(l->kernel, env);
	LIBBPF_OPTS(bpf_prog_load_opts, o, .prog_btf_fd = (__u32)l->kernel->types.fd,
		    .func_info = funcs, .func_info_rec_size = sizeof(*funcs),
		    .func_info_cnt = (__u32)l->emitter.nr_funcs + 1, .prog_flags = kinds[env].flags,
		    .expected_attach_type = kinds[env].attach, .attach_btf_id = (__u32)target,
		    .log_buf = want_log ? l->log : NULL, .log_size = want_log ? sizeof(l->log) : 0,
		    .log_level = want_log);

	if (target < 0)
		return -ENOENT;
	for (i = 0; i <= l->emitter.nr_funcs; i++)
		funcs[i] = (struct bpf_func_info){ (__u32)l->emitter.start[i],
						   (__u32)l->kernel->types.func };
	return bpf_prog_load(kinds[env].type, "rules", "GPL", l->insns, (size_t)l->emitter.n, &o);
}

/* Too many branches at once have the errno of a verifier bug; only the log differs. */
static int judge_fault(struct loader *l, enum env env)
{
	int fd = load_insns(l, env, true);

	if (fd >= 0)
		close(fd);
	return fd < 0 && strstr(l->log, "too complex") ? -E2BIG : -EFAULT;
}

static int env_attach(const struct kernel *k, enum env env, int prog)
{
	const int maps[NR_ENVS] = { [ENV_ITER_RES] = k->values,
				    [ENV_ITER_PLAIN] = k->plain[0],
				    [ENV_ITER_NUMBER] = k->numbers };
	union bpf_iter_link_info info = { .map.map_fd = (__u32)maps[env] };
	LIBBPF_OPTS(bpf_link_create_opts, o, .iter_info = &info, .iter_info_len = sizeof(info));
	int fd;

	if (env == ENV_FENTRY)
		fd = bpf_raw_tracepoint_open(NULL, prog);
	else
		fd = bpf_link_create(prog, 0, BPF_TRACE_ITER, &o);
	return fd < 0 ? -errno : fd;
}

int load_program(struct loader *l, const struct program *p, bool want_log, struct loaded *loaded)
{
	int err = emit_program(&l->emitter, p, l->kernel, l->insns);

	*l->log = 0;
	loaded->prog = loaded->link = -1;
	if (err)
		return err;
	loaded->prog = load_insns(l, p->env, want_log);
	if (loaded->prog == -EFAULT)
		return judge_fault(l, p->env);
	if (loaded->prog < 0 || p->env == ENV_TC || p->env == ENV_SYSCALL)
		return loaded->prog < 0 ? loaded->prog : 0;
	loaded->link = env_attach(l->kernel, p->env, loaded->prog);
	if (loaded->link >= 0)
		return 0;
	if (want_log)
		snprintf(l->log, sizeof(l->log), "loaded, but not attached: %s\n",
			 strerror(-loaded->link));
	err = loaded->link;
	unload_program(loaded);
	return err;
}

void unload_program(struct loaded *loaded)
{
	if (loaded->link >= 0)
		close(loaded->link);
	if (loaded->prog >= 0)
		close(loaded->prog);
	loaded->prog = loaded->link = -1;
}

static int test_run(enum env env, int prog)
{
	static char packet[64];
	__u64 args[2] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, tc, .data_in = packet, .data_size_in = sizeof(packet));
	LIBBPF_OPTS(bpf_test_run_opts, sys, .ctx_in = args, .ctx_size_in = sizeof(args));

	return bpf_prog_test_run_opts(prog, env == ENV_TC ? &tc : &sys) ? errno : 0;
}

static int read_iter(int link)
{
	int fd = bpf_iter_create(link), n;
	char buf[64];

	if (fd < 0)
		return errno;
	do {
		n = (int)read(fd, buf, sizeof(buf));
	} while (n > 0 || (n < 0 && errno == EAGAIN));
	n = n < 0 ? errno : 0;
	close(fd);
	return n;
}

/* Runs with several sets of conditions, so that most are tried both ways. Programs at function
 * entry run within the others.
 */
int run_program(const struct loader *l, const struct program *p, const struct loaded *loaded)
{
	static const __u32 masks[] = { 0, ~0u, 0x55555555, 0x33333333 };
	__u32 key = 0, value[2] = { 0 };
	int err = 0;
	size_t i;

	for (i = 0; i < sizeof(masks) / sizeof(*masks) && !err; i++) {
		value[0] = masks[i];
		if (bpf_map_update_elem(l->kernel->condition, &key, value, 0))
			return errno;
		if (is_map_iter(p->env))
			err = read_iter(loaded->link);
		else if (p->env != ENV_FENTRY)
			err = test_run(p->env, loaded->prog);
	}
	return err;
}

const char *last_line(struct loader *l)
{
	char *line = NULL, *next, *save;

	for (next = strtok_r(l->log, "\n", &save); next; next = strtok_r(NULL, "\n", &save))
		if (strncmp(next, "processed ", 10) && strncmp(next, "verification time", 17) &&
		    strncmp(next, "stack depth", 11))
			line = next;
	return line ? line : "the verifier says no more";
}
