// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/maplocks.h"
#include "failures.h"

void errno_die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(EXIT_FAILURE);
}

void place_skip(const char *why)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, why);
	exit(UNSUPPORTED);
}

struct bpf_link *word_watch(unsigned long long word, unsigned int len,
			    const struct bpf_program *prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = word,
		.bp_len = len,
		.sample_period = 1,
		.exclude_user = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;

	if (fd < 0) {
		fprintf(stderr, "breakpoint: %s\n", strerror(errno));
		place_skip("this kernel sets no breakpoints");
	}
	link = bpf_program__attach_perf_event(prog, fd);
	if (!link)
		errno_die("attach");
	return link;
}

void maplocks_here(struct maplocks *locks)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		errno_die("BTF");
	maplocks_read(btf, locks);
	btf__free(btf);
}

double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

void times_count(struct times *t, double since)
{
	double ms = now_ms() - since;

	t->shortest = t->shortest && t->shortest < ms ? t->shortest : ms;
	t->longest = t->longest > ms ? t->longest : ms;
}
