// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "run/job.h"

#define MAX_TIME_NS 1e13

void job_defaults(struct job *j)
{
	*j = (struct job){
		.topo = { .name = "default",
			  .sockets = 2,
			  .cores = 48,
			  .smt = 2,
			  .hit = 1 * SIM_NS,
			  .rmw = 6 * SIM_NS,
			  .core = 10 * SIM_NS,
			  .local = 60 * SIM_NS,
			  .remote = 150 * SIM_NS,
			  .occ_local = 8 * SIM_NS,
			  .occ_remote = 25 * SIM_NS,
			  .pause = 11 * SIM_NS },
		.ops = lock_find("qspinlock"),
		.threads = 2,
		.locks = 1,
		.rounds = 101,
		.seed = 1,
		.acquisitions = 5000,
		.span = 10000 * SIM_MS,
		.cs = 20 * SIM_NS,
		.ncs = 100 * SIM_NS,
		/* wake-up and kick: Waiman Long, commit 45e898b73562 */
		.host = { .slice = 4 * SIM_MS, .wake = 63600 * SIM_NS, .kick = 7400 * SIM_NS },
	};
}

static int member_bad(char *error, const char *key, const char *what)
{
	snprintf(error, JOB_ERROR, "%.40s: %s", key, what);
	return -EINVAL;
}

static int read_time(struct job *j, const char *key, json_t *v, char *error)
{
	const struct {
		const char *key;
		sim_time *to, unit;
	} times[] = {
		{ "cs_ns", &j->cs, SIM_NS },
		{ "ncs_ns", &j->ncs, SIM_NS },
		{ "warm_us", &j->warm, SIM_US },
		{ "span_us", &j->span, SIM_US },
		{ "slice_us", &j->host.slice, SIM_US },
		{ "wake_us", &j->host.wake, SIM_US },
		{ "kick_us", &j->host.kick, SIM_US },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		double n = json_number_value(v);

		if (strcmp(times[i].key, key))
			continue;
		if (!json_is_number(v) || n < 0 || n * times[i].unit > MAX_TIME_NS * SIM_NS)
			return member_bad(error, key, "not a time from 0 to 10000 s");
		*times[i].to = n * times[i].unit;
		return 0;
	}
	return -ENOENT;
}

static int read_count(struct job *j, const char *key, json_t *v, char *error)
{
	json_int_t n = json_integer_value(v);
	bool ok = json_is_integer(v) && n >= 1;

	if (!strcmp(key, "threads")) {
		if (!ok || n > SIM_CPUS)
			return member_bad(error, key, "not a number from 1 to 512");
		j->threads = n;
	} else if (!strcmp(key, "pcpus")) {
		if (!ok || n > SIM_CPUS)
			return member_bad(error, key, "not a number from 1 to 512");
		j->host.pcpus = n;
	} else if (!strcmp(key, "parties") || !strcmp(key, "rounds")) {
		if (!ok || n > (*key == 'p' ? JOB_PARTIES : 100000))
			return member_bad(error, key,
					  "not a number from 1 to 32 parties, 100000 rounds");
		*(*key == 'p' ? &j->parties : &j->rounds) = n;
	} else if (!strcmp(key, "locks")) {
		if (!ok || n > JOB_LOCKS)
			return member_bad(error, key, "not a number from 1 to 4096");
		j->locks = n;
	} else if (!strcmp(key, "seed") || !strcmp(key, "acquisitions")) {
		if (!ok || n > 1000000000)
			return member_bad(error, key, "not a number from 1 to 1000000000");
		*(*key == 's' ? &j->seed : &j->acquisitions) = n;
	} else {
		return -ENOENT;
	}
	return 0;
}

static int read_share(struct job *j, const char *key, json_t *v, char *error)
{
	double n = json_number_value(v);

	if (strcmp(key, "lines") && strcmp(key, "refs"))
		return -ENOENT;
	if (!json_is_number(v) || n < 0 || n > JOB_LINES)
		return member_bad(error, key, "not a number from 0 to 16");
	*(*key == 'l' ? &j->lines : &j->refs) = n;
	return 0;
}

static const char *lock_missing(json_t *name)
{
	if (json_is_string(name) && !strncmp(json_string_value(name), "c:", 2) && !lock_has_c())
		return "built without the locks in C: they need libck-dev and 'make kernel-tree'";
	return "no such lock; --list shows them";
}

static int read_lock(struct job *j, const char *key, json_t *v, char *error)
{
	const struct lock_ops *ops;

	if (!strcmp(key, "embedded")) {
		j->embedded = json_is_true(v);
		return json_is_boolean(v) ? 0 : member_bad(error, key, "not true or false");
	}
	if (strcmp(key, "lock"))
		return -ENOENT;
	ops = json_is_string(v) ? lock_find(json_string_value(v)) : NULL;
	if (!ops)
		return member_bad(error, key, lock_missing(v));
	j->ops = ops;
	return 0;
}

static int read_member(struct job *j, const char *key, json_t *v, char *error)
{
	int (*const readers[])(struct job *, const char *, json_t *,
			       char *) = { read_time, read_count, read_share, read_lock };

	if (!strcmp(key, "topology"))
		return topo_read(&j->topo, v, error);
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		int ret = readers[i](j, key, v, error);

		if (ret != -ENOENT)
			return ret;
	}
	return member_bad(error, key, "unknown");
}

int job_read(struct job *j, json_t *from, char *error)
{
	const char *key;
	json_t *v;

	if (!json_is_object(from))
		return member_bad(error, "job", "not a JSON object");
	json_object_foreach(from, key, v) {
		int ret = read_member(j, key, v, error);

		if (ret)
			return ret;
	}
	if (!j->host.pcpus && j->threads > topo_cpus(&j->topo))
		return member_bad(error, "threads", "more than the machine has CPUs");
	if (j->parties > j->threads)
		return member_bad(error, "parties", "more than there are threads");
	if (j->parties && !j->ops->finds_deadlocks)
		return member_bad(error, "parties", "this lock never fails");
	return 0;
}
