// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <bpf/libbpf.h>

#include "log.h"

static int threshold = LOG_INFO;
static int trying;

static void vlog(int level, const char *prefix, const char *fmt, va_list ap)
{
	if (level > threshold)
		return;
	flockfile(stderr);
	fputs(prefix, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	funlockfile(stderr);
}

#define DEFINE_LOG(name, level, prefix)       \
	void name(const char *fmt, ...)       \
	{                                     \
		va_list ap;                   \
                                              \
		va_start(ap, fmt);            \
		vlog(level, prefix, fmt, ap); \
		va_end(ap);                   \
	}

DEFINE_LOG(pr_err, LOG_WARN, "rqspin: ")
DEFINE_LOG(pr_warn, LOG_WARN, "rqspin: warning: ")
DEFINE_LOG(pr_info, LOG_INFO, "")
DEFINE_LOG(pr_debug, LOG_DEBUG, "rqspin: ")

/* Our callers report libbpf's failures in the user's terms; its own text is for -v. */
static int libbpf_log(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	bool wanted =
		level == LIBBPF_WARN && !trying ? threshold >= LOG_DEBUG : threshold > LOG_DEBUG;

	if (!wanted)
		return 0;
	return vfprintf(stderr, fmt, ap);
}

void log_init(void)
{
	libbpf_set_print(libbpf_log);
}

void log_trying(bool begin)
{
	trying += begin ? 1 : -1;
}

void log_set_level(int level)
{
	threshold = level;
}

void log_more(void)
{
	threshold++;
}
