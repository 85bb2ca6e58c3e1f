// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/topo.h"

#define ERROR_LEN 160

struct place topo_place(const struct topo *t, int n)
{
	int cores = t->sockets * t->cores;
	int core = n % cores;

	if (t->spread)
		return (struct place){ core % t->sockets,
				       core % t->sockets * t->cores + core / t->sockets };
	return (struct place){ core / t->cores, core };
}

static const struct {
	const char *key;
	size_t at;
} costs[] = {
	{ "hit_ns", offsetof(struct topo, hit) },
	{ "rmw_ns", offsetof(struct topo, rmw) },
	{ "core_ns", offsetof(struct topo, core) },
	{ "local_ns", offsetof(struct topo, local) },
	{ "remote_ns", offsetof(struct topo, remote) },
	{ "occ_local_ns", offsetof(struct topo, occ_local) },
	{ "occ_remote_ns", offsetof(struct topo, occ_remote) },
	{ "pause_ns", offsetof(struct topo, pause) },
	{ "upgrade_ns", offsetof(struct topo, upgrade) },
};

static const struct {
	const char *key;
	size_t at;
	int max;
} counts[] = {
	{ "sockets", offsetof(struct topo, sockets), SIM_SOCKETS },
	{ "cores", offsetof(struct topo, cores), SIM_CPUS },
	{ "smt", offsetof(struct topo, smt), 8 },
};

static bool read_cost(struct topo *t, const char *key, json_t *v)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		if (strcmp(key, costs[i].key))
			continue;
		if (json_is_number(v) && json_number_value(v) >= 0 && json_number_value(v) <= 1e6)
			*(sim_time *)((char *)t + costs[i].at) = json_number_value(v) * SIM_NS;
		else
			break;
		return true;
	}
	return false;
}

static bool read_count(struct topo *t, const char *key, json_t *v)
{
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (strcmp(key, counts[i].key) || !json_is_integer(v))
			continue;
		if (json_integer_value(v) < 1 || json_integer_value(v) > counts[i].max)
			break;
		*(int *)((char *)t + counts[i].at) = json_integer_value(v);
		return true;
	}
	return false;
}

static bool read_other(struct topo *t, const char *key, json_t *v)
{
	if (!strcmp(key, "name") && json_is_string(v))
		snprintf(t->name, sizeof(t->name), "%s", json_string_value(v));
	else if (!strcmp(key, "spread") && json_is_boolean(v))
		t->spread = json_is_true(v);
	else if (!strcmp(key, "random") && json_is_boolean(v))
		t->random = json_is_true(v);
	else
		return !strcmp(key, "source") && json_is_string(v);
	return true;
}

int topo_read(struct topo *t, json_t *from, char *error)
{
	const char *key;
	json_t *v;

	if (!json_is_object(from)) {
		snprintf(error, ERROR_LEN, "a topology is a JSON object");
		return -EINVAL;
	}
	json_object_foreach(from, key, v) {
		if (read_cost(t, key, v) || read_count(t, key, v) || read_other(t, key, v))
			continue;
		snprintf(error, ERROR_LEN, "topology: '%.40s' is unknown or has a bad value", key);
		return -EINVAL;
	}
	if (topo_cpus(t) > SIM_CPUS) {
		snprintf(error, ERROR_LEN, "topology: %d CPUs, at most %d", topo_cpus(t), SIM_CPUS);
		return -EINVAL;
	}
	return 0;
}
