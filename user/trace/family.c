// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/task.h"
#include "trace/failure.h"
#include "trace/family.h"
#include "trace/perf_rings.h"

#define TASKS_MAX (1U << 22) /* the kernel's largest number of one */

struct family {
	struct perf_rings rings;
	__u32 own_pid;
	bool by_tasks;	      /* their ids are those of failures */
	unsigned char *tasks; /* a bit for each */
	__u32 *progs;
	size_t nr_progs;
	unsigned long long lost;
};

/* perf_event_open(2): what follows the header. */
struct record_fork {
	__u32 pid, ppid, tid, ptid;
	__u64 time;
};

struct record_prog {
	__u16 type, flags;
	__u32 id;
	__u8 tag[8];
};

struct record_lost {
	__u64 id, lost;
};

/* Behind a record: of whom it is. */
struct record_end {
	__u32 pid, tid;
};

struct family *family_new(__u32 own_pid)
{
	struct family *fy = calloc(1, sizeof(*fy));

	if (fy) {
		fy->own_pid = own_pid;
		fy->by_tasks = true;
		fy->tasks = calloc(1, TASKS_MAX / 8);
	}
	if (fy && !fy->tasks) {
		free(fy);
		return NULL;
	}
	return fy;
}

static void add_task(struct family *fy, __u32 id)
{
	if (id < TASKS_MAX)
		fy->tasks[id / 8] |= 1 << id % 8;
}

static bool has_task(const struct family *fy, __u32 id)
{
	return id && id < TASKS_MAX && fy->tasks[id / 8] & 1 << id % 8;
}

static void on_fork(struct family *fy, const struct record_fork *r)
{
	if (r->pid == fy->own_pid)
		return;
	add_task(fy, r->pid);
	add_task(fy, r->tid);
}

static void on_prog(struct family *fy, const struct record_prog *r, const struct record_end *end)
{
	if (r->type != PERF_BPF_EVENT_PROG_LOAD || end->pid == fy->own_pid)
		return;
	if (grow_append((void **)&fy->progs, &fy->nr_progs, &r->id, sizeof(r->id)))
		fy->lost++;
}

static void on_record(struct family *fy, const struct perf_event_header *h)
{
	const void *body = h + 1, *end = (const char *)h + h->size - sizeof(struct record_end);
	size_t size = h->size - sizeof(*h);

	if (h->type == PERF_RECORD_FORK && size >= sizeof(struct record_fork))
		on_fork(fy, body);
	else if (h->type == PERF_RECORD_BPF_EVENT &&
		 size >= sizeof(struct record_prog) + sizeof(struct record_end))
		on_prog(fy, body, end);
	else if (h->type == PERF_RECORD_LOST && size >= sizeof(struct record_lost))
		fy->lost += ((const struct record_lost *)body)->lost;
}

void family_read_records(struct family *fy, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	const struct perf_event_header *h;

	for (; (size_t)(end - at) >= sizeof(*h); at += h->size) {
		h = (const void *)at;
		if (h->size < sizeof(*h) || h->size > end - at)
			return;
		on_record(fy, h);
	}
}

struct family *family_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID,
		.sample_id_all = 1,
		.inherit = 1,
		.task = 1,
		.bpf_event = 1,
	};
	struct family *fy = family_new(getpid());
	int err = fy ? perf_rings_open(&fy->rings, &attr, 0, NULL) : -ENOMEM;

	/* What starts on a CPU without a ring would be a stranger. */
	err = err ?: fy->rings.refused;
	if (!err) {
		fy->by_tasks = task_ids_known();
		return fy;
	}
	family_close(fy);
	errno = -err;
	return NULL;
}

void family_close(struct family *fy)
{
	if (!fy)
		return;
	perf_rings_close(&fy->rings);
	free(fy->tasks);
	free(fy->progs);
	free(fy);
}

static void take_records(void *fy, const void *records, size_t size)
{
	family_read_records(fy, records, size);
}

unsigned long long family_read(struct family *fy)
{
	for (int i = 0; i < fy->rings.nr; i++)
		perf_rings_read(&fy->rings, i, take_records, fy);
	return fy->lost;
}

bool family_has_prog(const struct family *fy, __u32 prog_id)
{
	for (size_t i = fy->nr_progs; i-- > 0;)
		if (fy->progs[i] == prog_id)
			return true;
	return false;
}

bool family_by_tasks(const struct family *fy)
{
	return fy->by_tasks;
}

bool family_has(const struct family *fy, const struct failure *f)
{
	if (family_has_prog(fy, f->prog_id))
		return true;
	return fy->by_tasks && (has_task(fy, f->ev.pid) || has_task(fy, f->ev.tid));
}
