// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define NS 1000000000LL

/* How far this process's clocks are ahead of the kernel's, in ns. */
static struct {
	bool known;
	long long monotonic, boottime;
} ahead;

long long clock_offset(const char *line, const char *name)
{
	long long sec, ns;
	char found[16];

	if (sscanf(line, "%15s %lld %lld", found, &sec, &ns) != 3 || strcmp(found, name))
		return 0;
	return sec * NS + ns;
}

static bool same_link(const char *a, const char *b)
{
	char one[64] = "", two[64] = "";

	return readlink(a, one, sizeof(one) - 1) > 0 && readlink(b, two, sizeof(two) - 1) > 0 &&
	       !strcmp(one, two);
}

/*
 * timens_offsets describes the time namespace of our children. It is ours, too, unless a new one
 * has just been made for them.
 */
static void read_offsets(void)
{
	FILE *f = NULL;
	char line[128];

	ahead.known = true;
	if (same_link("/proc/self/ns/time", "/proc/self/ns/time_for_children"))
		f = fopen("/proc/self/timens_offsets", "re");
	while (f && fgets(line, sizeof(line), f)) {
		ahead.monotonic += clock_offset(line, "monotonic");
		ahead.boottime += clock_offset(line, "boottime");
	}
	if (f)
		fclose(f);
}

static __u64 read_clock(clockid_t clock)
{
	struct timespec ts;

	if (!ahead.known)
		read_offsets();
	clock_gettime(clock, &ts);
	return ts.tv_sec * NS + ts.tv_nsec;
}

__u64 now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC) - ahead.monotonic;
}

double clock_ahead_s(void)
{
	now_ns();
	return (double)ahead.monotonic / NS;
}

__u64 now_boot_ns(void)
{
	return read_clock(CLOCK_BOOTTIME) - ahead.boottime;
}
