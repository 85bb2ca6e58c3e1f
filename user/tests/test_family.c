// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/perf_event.h>

#include "events/failure.h"
#include "events/family.h"
#include "unit.h"

#define OWN 100

/* As the kernel lays them out: perf_event_open(2). Behind each, of whom it is. */
struct fork {
	struct perf_event_header head;
	__u32 pid, ppid, tid, ptid;
	__u64 time;
	__u32 of_pid, of_tid;
	__u64 at;
};

struct exec {
	struct perf_event_header head;
	__u32 pid, tid;
	char comm[8];
	__u32 of_pid, of_tid;
	__u64 at;
};

struct prog {
	struct perf_event_header head;
	__u16 type, flags;
	__u32 id;
	__u8 tag[8];
	__u32 of_pid, of_tid;
	__u64 at;
};

static struct fork task_started(__u32 pid, __u32 tid)
{
	return (struct fork){
		.head = { .type = PERF_RECORD_FORK, .size = sizeof(struct fork) },
		.pid = pid,
		.tid = tid,
	};
}

static struct fork task_began(__u32 pid, __u32 tid, __u64 time)
{
	struct fork r = task_started(pid, tid);

	r.time = r.at = time;
	return r;
}

static struct fork task_ended(__u32 pid, __u32 tid, __u64 time)
{
	struct fork r = task_began(pid, tid, time);

	r.head.type = PERF_RECORD_EXIT;
	return r;
}

static bool has_at(struct family *fy, __u32 pid, __u32 tid, __u64 ts_ns)
{
	const struct failure f = { .ev = { .pid = pid, .tid = tid, .ts_ns = ts_ns } };

	return family_has(fy, &f);
}

static struct prog prog_loaded(__u32 id, __u32 by)
{
	return (struct prog){
		.head = { .type = PERF_RECORD_BPF_EVENT, .size = sizeof(struct prog) },
		.type = PERF_BPF_EVENT_PROG_LOAD,
		.id = id,
		.of_pid = by,
	};
}

static bool family_has_failure(struct family *fy, __u32 prog_id, __u32 pid, __u32 tid)
{
	const struct failure f = { .prog_id = prog_id, .ev = { .pid = pid, .tid = tid } };

	return family_has(fy, &f);
}

static void tasks_and_programs_of_the_command(void **state)
{
	struct family *fy = family_new(OWN);
	struct {
		struct fork child, thread, own_thread;
		struct prog theirs, ours, unloaded;
	} r = {
		.child = task_started(101, 101),
		.thread = task_started(101, 102),
		.own_thread = task_started(OWN, 103),
		.theirs = prog_loaded(7, 101),
		.ours = prog_loaded(8, OWN),
		.unloaded = prog_loaded(9, 101),
	};

	(void)state;
	r.unloaded.type = PERF_BPF_EVENT_PROG_UNLOAD;
	family_read_records(fy, &r, sizeof(r));
	assert_true(family_has_failure(fy, 7, 1, 1));	  /* its program, in another's task */
	assert_true(family_has_failure(fy, 5, 101, 101)); /* its task, in another's program */
	assert_true(family_has_failure(fy, 0, 0, 102));
	assert_false(family_has_failure(fy, 8, OWN, OWN));
	assert_false(family_has_failure(fy, 5, OWN, 103));
	assert_false(family_has_failure(fy, 9, 1, 1));
	assert_false(family_has_failure(fy, 0, 0, 0));
	family_close(fy);
}

/* A record that says to be longer than what there is, or shorter than its head, ends it. */
static void damaged_records(void **state)
{
	struct family *fy = family_new(OWN);
	struct fork r[2] = { task_started(101, 101), task_started(104, 104) };

	(void)state;
	r[0].head.size = 4;
	family_read_records(fy, r, sizeof(r));
	r[0].head.size = sizeof(r) + 8;
	family_read_records(fy, r, sizeof(r));
	assert_false(family_has_failure(fy, 0, 101, 101));
	assert_false(family_has_failure(fy, 0, 104, 104));
	family_close(fy);
}

static void what_was_lost_is_counted(void **state)
{
	struct family *fy = family_new(OWN);
	struct {
		struct perf_event_header head;
		__u64 id, lost;
		__u32 of_pid, of_tid;
		__u64 at;
	} r = { .head = { .type = PERF_RECORD_LOST, .size = sizeof(r) }, .lost = 3 };

	(void)state;
	assert_int_equal(family_read(fy), 0);
	family_read_records(fy, &r, sizeof(r));
	family_read_records(fy, &r, sizeof(r));
	assert_int_equal(family_read(fy), 6);
	family_close(fy);
}

#define SECOND 1000000000ULL

/* Its id may be a stranger's then. What it does while it ends is still its own. */
static void ids_of_ended_tasks(void **state)
{
	struct family *fy = family_new(OWN);
	const struct fork r[] = { task_ended(101, 101, 5 * SECOND), task_began(101, 101, SECOND),
				  task_began(102, 102, SECOND), task_ended(102, 103, 5 * SECOND),
				  task_began(102, 103, 2 * SECOND) };
	const struct fork again = task_began(101, 101, 20 * SECOND);

	(void)state;
	family_read_records(fy, r, sizeof(r));
	assert_true(has_at(fy, 101, 101, 4 * SECOND));
	assert_true(has_at(fy, 101, 101, 6 * SECOND));
	assert_false(has_at(fy, 101, 101, 6 * SECOND + 1));
	assert_true(has_at(fy, 102, 103, 9 * SECOND)); /* its process is there */
	assert_false(has_at(fy, 7, 103, 9 * SECOND));
	family_read_records(fy, &again, sizeof(again));
	assert_true(has_at(fy, 101, 101, 99 * SECOND));
	family_close(fy);
}

/* The first thread has ended, and another one takes its id along with its exec. */
static void exec_keeps_an_id(void **state)
{
	struct family *fy = family_new(OWN);
	const struct fork r[] = { task_began(101, 101, SECOND), task_ended(101, 101, 2 * SECOND) };
	struct exec exec = {
		.head = { .type = PERF_RECORD_COMM, .size = sizeof(exec) },
		.pid = 101,
		.tid = 101,
		.of_pid = 101,
		.of_tid = 101,
		.at = 3 * SECOND,
	};

	(void)state;
	family_read_records(fy, r, sizeof(r));
	family_read_records(fy, &exec, sizeof(exec));
	assert_false(has_at(fy, 101, 101, 9 * SECOND)); /* a new name is no exec */
	exec.head.misc = PERF_RECORD_MISC_COMM_EXEC;
	family_read_records(fy, &exec, sizeof(exec));
	assert_true(has_at(fy, 101, 101, 9 * SECOND));
	family_close(fy);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ids_of_ended_tasks),
	cmocka_unit_test(exec_keeps_an_id),
	cmocka_unit_test(tasks_and_programs_of_the_command),
	cmocka_unit_test(damaged_records),
	cmocka_unit_test(what_was_lost_is_counted),
};

UNIT_GROUP(family, tests)
