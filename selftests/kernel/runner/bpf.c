// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"

#define MAX_ROLES 64

int online_cpus(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Read once, by the runner: the tests are its children. */
static const struct btf *kernel_btf(void)
{
	static struct btf *btf;

	if (!btf)
		btf = btf__load_vmlinux_btf();
	return btf;
}

/* Does the type @id have the tag "bpf_kfunc"? Sets @any if some type has it. */
static bool is_tagged_kfunc(const struct btf *btf, __s32 id, bool *any)
{
	const struct btf_type *t;
	__u32 i;

	for (i = 1; i < btf__type_cnt(btf); i++) {
		t = btf__type_by_id(btf, i);
		if (!btf_is_decl_tag(t) ||
		    strcmp(btf__name_by_offset(btf, t->name_off), "bpf_kfunc"))
			continue;
		*any = true;
		if ((__s32)t->type == id)
			return true;
	}
	return false;
}

/* A function of that name may also implement the kfunc of another name: its tag shows that. */
bool kernel_has_kfunc(const char *name)
{
	const struct btf *btf = kernel_btf();
	__s32 id = btf ? btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) : -ENOENT;
	bool tags = false;

	return id > 0 && (is_tagged_kfunc(btf, id, &tags) || !tags);
}

bool kernel_has_function(const char *name)
{
	const struct btf *btf = kernel_btf();

	return btf && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

bool kernel_has_tracepoint(const char *name)
{
	const struct btf *btf = kernel_btf();
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf && btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) > 0;
}

bool kernel_shares_hole(const char *hole)
{
	if (kernel_has_kfunc("bpf_res_spin_unlock_ooo"))
		return false;
	test_skip("this kernel has the hole \"%s\" of docs/holes.md; the patched 6.12 closes it",
		  hole);
	return true;
}

bool kernel_has_fentry(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	int prog_fd, link_fd = -1;

	opts.attach_btf_id = libbpf_find_vmlinux_btf_id("bpf_fentry_test1", BPF_TRACE_FENTRY);
	prog_fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "probe_fentry", "GPL", insns, 2, &opts);
	if (prog_fd < 0)
		return false;
	link_fd = bpf_link_create(prog_fd, 0, BPF_TRACE_FENTRY, NULL);
	if (link_fd >= 0)
		close(link_fd);
	close(prog_fd);
	return link_fd >= 0;
}

int pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

int prog_run(const struct bpf_program *prog, int *retval)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	if (bpf_program__type(prog) != BPF_PROG_TYPE_SYSCALL) {
		opts.data_in = packet;
		opts.data_size_in = sizeof(packet);
	}
	err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
	*retval = (int)opts.retval;
	return err;
}

struct role_thread {
	struct role *role;
	pthread_barrier_t *start;
	pthread_t id;
};

static void *role_main(void *arg)
{
	struct role_thread *t = arg;
	struct role *r = t->role;
	double begin;

	r->err = pin_to_cpu(r->cpu);
	pthread_barrier_wait(t->start);
	if (r->err)
		return NULL;
	begin = now_ms();
	if (r->prog)
		r->err = prog_run(r->prog, &r->retval);
	else
		r->retval = r->call(r->arg);
	r->ms = now_ms() - begin;
	return NULL;
}

void run_roles(struct role *roles, int count)
{
	struct role_thread threads[MAX_ROLES];
	pthread_barrier_t start;
	int i, err;

	if (!CHECK(count <= MAX_ROLES, "%d roles", count))
		return;
	pthread_barrier_init(&start, NULL, count);
	for (i = 0; i < count; i++) {
		threads[i] = (struct role_thread){ .role = &roles[i], .start = &start };
		err = pthread_create(&threads[i].id, NULL, role_main, &threads[i]);
		/* The other threads wait at the barrier for ever: end the process. */
		if (!CHECK(!err, "pthread_create: %s", strerror(err)))
			_exit(1);
	}
	for (i = 0; i < count; i++) {
		pthread_join(threads[i].id, NULL);
		CHECK(!roles[i].err, "role %d did not run: %s", i, strerror(-roles[i].err));
	}
	pthread_barrier_destroy(&start);
}
