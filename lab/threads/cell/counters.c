// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The lab's asm/byteorder.h is a stub. */
#include <linux/byteorder/little_endian.h>
#include <linux/perf_event.h>

#include "counters.h"

static const struct {
	const char *name;
	u64 config;
} hardware[COUNTERS] = {
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache_misses", PERF_COUNT_HW_CACHE_MISSES },
};

static int counter_open(u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void counters_open(struct counters *c)
{
	int i;

	*c = (struct counters){ 0 };
	for (i = 0; i < COUNTERS; i++) {
		c->fd[i] = counter_open(hardware[i].config);
		c->error[i] = c->fd[i] < 0 ? errno : 0;
	}
}

/* perf's own event of that name is one of the kernel, which counts nothing for user space. */
static u64 context_switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (u64)u.ru_nvcsw + (u64)u.ru_nivcsw;
}

void counters_start(struct counters *c)
{
	int i;

	c->switches = context_switches();
	for (i = 0; i < COUNTERS; i++) {
		if (!c->error[i])
			ioctl(c->fd[i], PERF_EVENT_IOC_ENABLE, 0);
	}
}

/* A counter that had to share the CPU's with others counted for a part of the time. */
static void counter_read(struct counters *c, int i)
{
	struct {
		u64 value, enabled, running;
	} got;

	if (read(c->fd[i], &got, sizeof(got)) != sizeof(got))
		c->error[i] = EIO;
	else if (!got.running)
		c->error[i] = EBUSY;
	else
		c->value[i] = (u64)((double)got.value * (double)got.enabled / (double)got.running);
	close(c->fd[i]);
}

void counters_stop(struct counters *c)
{
	int i;

	for (i = 0; i < COUNTERS; i++) {
		if (!c->error[i])
			ioctl(c->fd[i], PERF_EVENT_IOC_DISABLE, 0);
	}
	c->switches = context_switches() - c->switches;
	for (i = 0; i < COUNTERS; i++) {
		if (!c->error[i])
			counter_read(c, i);
	}
}

void counters_add(struct counters *sum, const struct counters *c)
{
	int i;

	sum->switches += c->switches;
	for (i = 0; i < COUNTERS; i++) {
		sum->value[i] += c->value[i];
		if (c->error[i])
			sum->error[i] = c->error[i];
	}
}

json_t *counters_json(const struct counters *c)
{
	json_t *out = json_object(), *value;
	char why[256] = "";
	size_t n = 0;
	int i;

	for (i = 0; i < COUNTERS; i++) {
		value = c->error[i] ? json_null() : json_integer((json_int_t)c->value[i]);
		json_object_set_new(out, hardware[i].name, value);
		if (c->error[i] && n < sizeof(why))
			n += (size_t)snprintf(why + n, sizeof(why) - n, "%s%s: %s", n ? "; " : "",
					      hardware[i].name, strerror(c->error[i]));
	}
	json_object_set_new(out, "context_switches", json_integer((json_int_t)c->switches));
	json_object_set_new(out, "absent", n ? json_string(why) : json_null());
	return out;
}
