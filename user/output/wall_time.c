// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "output/wall_time.h"

#define NS 1000000000LL

#define TRIES 8

/* How far the wall clock is ahead of CLOCK_MONOTONIC: at least, and at most. */
struct bounds {
	long long least, most;
};

static struct bounds read_bounds(void)
{
	long long before = now_ns(), wall;
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	wall = real.tv_sec * NS + real.tv_nsec;
	return (struct bounds){ wall - (long long)now_ns(), wall - before };
}

/* A thread that loses its CPU between two clocks has wide bounds. */
static struct bounds read_narrow_bounds(void)
{
	struct bounds best = read_bounds();

	for (int i = 1; i < TRIES; i++) {
		struct bounds b = read_bounds();

		if (b.most - b.least < best.most - best.least)
			best = b;
	}
	return best;
}

/*
 * The offset is checked for each time, so that a wall clock that is set is followed. It is kept as
 * long as it can be right: two events must not change their order.
 */
static long long realtime_offset(void)
{
	struct bounds b = read_bounds();
	static long long offset;
	static bool known;

	if (known && offset >= b.least && offset <= b.most)
		return offset;
	b = read_narrow_bounds();
	offset = b.least + (b.most - b.least) / 2;
	known = true;
	return offset;
}

static void format_seconds(time_t sec, bool iso, char buf[24])
{
	struct tm tm;

	if (iso)
		gmtime_r(&sec, &tm);
	else
		localtime_r(&sec, &tm);
	strftime(buf, 24, iso ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &tm);
}

/* Keeps the text of the last second: a burst has many failures in one second. */
void wall_time(unsigned long long ns, bool iso, char buf[40])
{
	long long t = (long long)ns + realtime_offset();
	static char seconds[24];
	static time_t shown;
	static bool was_iso;
	time_t sec = t / NS;

	if (sec != shown || iso != was_iso) {
		format_seconds(sec, iso, seconds);
		shown = sec;
		was_iso = iso;
	}
	snprintf(buf, 40, "%s.%06lld%s", seconds, t % NS / 1000, iso ? "Z" : "");
}
