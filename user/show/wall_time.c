// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "show/wall_time.h"

#define NS 1000000000LL

/* Asked anew each time, so that a stepped wall clock is followed. */
static long long realtime_offset(void)
{
	long long mono = now_ns();
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	return real.tv_sec * NS + real.tv_nsec - mono;
}

void wall_time(unsigned long long ns, bool iso, char buf[40])
{
	long long t = (long long)ns + realtime_offset();
	time_t sec = t / NS;
	struct tm tm;
	size_t n;

	if (iso)
		gmtime_r(&sec, &tm);
	else
		localtime_r(&sec, &tm);
	n = strftime(buf, 40, iso ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &tm);
	snprintf(buf + n, 40 - n, ".%06lld%s", t % NS / 1000, iso ? "Z" : "");
}
