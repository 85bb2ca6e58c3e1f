// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "log.h"
#include "trace_wake.h"

/* Control page and one data page: the records are not read, only their coming is noticed. */
#define RING_PAGES 2

struct wake {
	struct pollfd *fds;
	void **rings;
	int nr;
};

static int open_cpu(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.bpf_event = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void add_cpu(struct wake *w, int cpu)
{
	size_t size = RING_PAGES * getpagesize();
	int fd = open_cpu(cpu);
	void *ring;

	if (fd < 0)
		return;
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		close(fd);
		return;
	}
	w->fds[w->nr] = (struct pollfd){ .fd = fd, .events = POLLIN };
	w->rings[w->nr++] = ring;
}

struct wake *wake_open(void)
{
	int cpus = libbpf_num_possible_cpus();
	struct wake *w = calloc(1, sizeof(*w));

	if (!w || cpus < 1)
		return w;
	w->fds = calloc(cpus, sizeof(*w->fds));
	w->rings = calloc(cpus, sizeof(*w->rings));
	for (int cpu = 0; w->fds && w->rings && cpu < cpus; cpu++)
		add_cpu(w, cpu);
	if (!w->nr)
		pr_debug("perf events are refused: new programs are noticed by polling");
	return w;
}

void wake_close(struct wake *w)
{
	if (!w)
		return;
	for (int i = 0; i < w->nr; i++) {
		munmap(w->rings[i], RING_PAGES * getpagesize());
		close(w->fds[i].fd);
	}
	free(w->fds);
	free(w->rings);
	free(w);
}

int wake_wait(struct wake *w, int ms)
{
	int n = poll(w->fds, w->nr, ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; n > 0 && i < w->nr; i++) {
		struct perf_event_mmap_page *page = w->rings[i];

		if (w->fds[i].revents)
			__atomic_store_n(&page->data_tail,
					 __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
	}
	return 0;
}
