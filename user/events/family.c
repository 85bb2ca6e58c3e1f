// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/task.h"
#include "events/failure.h"
#include "events/family.h"
#include "events/perf_rings.h"

#define TASKS_MAX     (1U << 22) /* the kernel's limit of task ids */
#define PAGE_TASKS    (1U << 12)
#define TASK_PAGES    (TASKS_MAX / PAGE_TASKS)
#define EXIT_TAKES_NS 1000000000ULL /* a task that ends may still fail, after a wait */

/*
 * Latest start and end of a task of the family with this id. It is alive unless it ended after that
 * start.
 */
struct task_times {
	__u64 began_ns, ended_ns;
};

struct family {
	struct perf_rings rings;
	__u32 own_pid;
	bool by_tasks; /* task ids are the same as in failures */
	struct task_times *tasks[TASK_PAGES];
	__u32 *progs;
	size_t nr_progs;
	unsigned long long lost;
};

/* perf_event_open(2): what follows the header. */
struct record_task {
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

/* The end of each record: its task and time. */
struct record_end {
	__u32 pid, tid;
	__u64 time;
};

struct family *family_new(__u32 own_pid)
{
	struct family *fy = calloc(1, sizeof(*fy));

	if (fy) {
		fy->own_pid = own_pid;
		fy->by_tasks = true;
	}
	return fy;
}

/* NULL: no valid id, or out of memory, which is counted as lost. */
static struct task_times *task_times(struct family *fy, __u32 id)
{
	struct task_times **page = id < TASKS_MAX ? &fy->tasks[id / PAGE_TASKS] : NULL;

	if (!page)
		return NULL;
	if (!*page)
		*page = calloc(PAGE_TASKS, sizeof(**page));
	if (!*page)
		fy->lost++;
	return *page ? *page + id % PAGE_TASKS : NULL;
}

/* Records of several CPUs come in any order. */
static void task_begins(struct family *fy, __u32 id, __u64 time)
{
	struct task_times *t = task_times(fy, id);

	if (t && time >= t->began_ns)
		t->began_ns = time ?: 1;
}

static void task_ends(struct family *fy, __u32 id, __u64 time)
{
	struct task_times *t = task_times(fy, id);

	if (t && time > t->ended_ns)
		t->ended_ns = time;
}

/* After the end of a task, the kernel may give its id to a task outside the family. */
static bool has_task(const struct family *fy, __u32 id, __u64 when_ns)
{
	const struct task_times *t = id < TASKS_MAX ? fy->tasks[id / PAGE_TASKS] : NULL;

	if (!id || !t)
		return false;
	t += id % PAGE_TASKS;
	return t->began_ns && (t->ended_ns < t->began_ns || when_ns <= t->ended_ns + EXIT_TAKES_NS);
}

static bool has_begun(struct family *fy, __u32 id)
{
	const struct task_times *t = task_times(fy, id);

	return t && t->began_ns;
}

/* If the start of the process was lost, the start of a thread shows that the process exists. */
static void on_fork(struct family *fy, const struct record_task *r)
{
	if (r->pid == fy->own_pid)
		return;
	if (!has_begun(fy, r->pid))
		task_begins(fy, r->pid, r->time);
	task_begins(fy, r->tid, r->time);
}

static void on_exit_of(struct family *fy, const struct record_task *r)
{
	if (r->pid != fy->own_pid)
		task_ends(fy, r->tid, r->time);
}

/* A thread that calls exec gets the id of its process, whose first thread has ended. */
static void on_exec(struct family *fy, const struct record_end *end)
{
	if (end->pid != fy->own_pid)
		task_begins(fy, end->tid, end->time);
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

	if (h->type == PERF_RECORD_FORK && size >= sizeof(struct record_task))
		on_fork(fy, body);
	else if (h->type == PERF_RECORD_EXIT && size >= sizeof(struct record_task))
		on_exit_of(fy, body);
	else if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC &&
		 size >= sizeof(struct record_end))
		on_exec(fy, end);
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
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, /* the clock of failures */
		.inherit = 1,
		.task = 1,
		.comm = 1,
		.comm_exec = 1,
		.bpf_event = 1,
	};
	struct family *fy = family_new(getpid());
	int err = fy ? perf_rings_open(&fy->rings, &attr, 0, NULL) : -ENOMEM;

	/* A task that starts on a CPU without a ring would not be found to be of the family. */
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
	for (__u32 i = 0; i < TASK_PAGES; i++)
		free(fy->tasks[i]);
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
	return fy->by_tasks &&
	       (has_task(fy, f->ev.pid, f->ev.ts_ns) || has_task(fy, f->ev.tid, f->ev.ts_ns));
}
