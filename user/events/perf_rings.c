// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "events/perf_rings.h"

#define DATA_PAGES 16 /* a power of two; for some 300 programs that come and go */

static size_t data_size(void)
{
	return DATA_PAGES * (size_t)getpagesize();
}

static int ring_add(struct perf_rings *pr, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	void *pages;

	if (fd < 0)
		return -errno;
	pages = mmap(NULL, getpagesize() + data_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED) {
		int err = -errno;

		close(fd);
		return err;
	}
	pr->fds[pr->nr] = (struct pollfd){ .fd = fd, .events = POLLIN };
	pr->cpus[pr->nr] = cpu;
	pr->pages[pr->nr++] = pages;
	return 0;
}

int perf_rings_open(struct perf_rings *pr, struct perf_event_attr *attr, pid_t pid,
		    const bool *wanted)
{
	int cpus = libbpf_num_possible_cpus(), err = -ENODEV;

	*pr = (struct perf_rings){ 0 };
	if (cpus < 1)
		return cpus;
	pr->fds = calloc(cpus, sizeof(*pr->fds));
	pr->pages = calloc(cpus, sizeof(*pr->pages));
	pr->cpus = calloc(cpus, sizeof(*pr->cpus));
	if (!pr->fds || !pr->pages || !pr->cpus)
		return -ENOMEM;
	attr->size = sizeof(*attr);
	/* CPUs that are offline have no ring. */
	for (int cpu = 0; cpu < cpus; cpu++) {
		int added = wanted && !wanted[cpu] ? -ENODEV : ring_add(pr, attr, pid, cpu);

		err = added == -ENODEV ? err : added;
		pr->refused = added && added != -ENODEV ? added : pr->refused;
	}
	return pr->nr ? 0 : err;
}

void perf_rings_close(struct perf_rings *pr)
{
	for (int i = 0; i < pr->nr; i++) {
		munmap(pr->pages[i], getpagesize() + data_size());
		close(pr->fds[i].fd);
	}
	free(pr->fds);
	free(pr->pages);
	free(pr->cpus);
	*pr = (struct perf_rings){ 0 };
}

void perf_rings_read(struct perf_rings *pr, int nth,
		     void (*take)(void *ctx, const void *records, size_t size), void *ctx)
{
	struct perf_event_mmap_page *page = pr->pages[nth];
	size_t room = data_size(), from, len, till_end;
	const char *data = (const char *)page + getpagesize();
	__u64 head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	char *copy;

	len = head - page->data_tail;
	from = page->data_tail % room;
	till_end = len < room - from ? len : room - from;
	copy = len ? malloc(len) : NULL;
	if (copy) {
		memcpy(copy, data + from, till_end);
		memcpy(copy + till_end, data, len - till_end);
		take(ctx, copy, len);
		free(copy);
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}
