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

static void format_seconds(time_t sec, bool iso, char buf[24])
{
	struct tm tm;

	if (iso)
		gmtime_r(&sec, &tm);
	else
		localtime_r(&sec, &tm);
	strftime(buf, 24, iso ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &tm);
}

/* A burst has many failures in one second. */
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
