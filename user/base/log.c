// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/escape.h"
#include "base/log.h"

enum log_level { LOG_WARN, LOG_INFO, LOG_DEBUG };

static int threshold = LOG_INFO;
static int trying;
static void (*diverted)(const char *line);
static struct {
	void (*hear)(void *arg, bool warning, const char *text);
	void *arg;
} listener;

void log_divert(void (*to)(const char *line))
{
	diverted = to;
}

static void line_divert(const char *prefix, const char *text, size_t len)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return;
	fputs(prefix, out);
	escape_put(out, text, len);
	fclose(out);
	diverted(line);
	free(line);
}

static void put_line(const char *prefix, const char *text, size_t len)
{
	if (diverted) {
		line_divert(prefix, text, len);
		return;
	}
	flockfile(stderr);
	fputs(prefix, stderr);
	escape_put(stderr, text, len);
	fputc('\n', stderr);
	funlockfile(stderr);
}

/* Messages contain names from outside, which must neither end the line nor control the terminal. */
static void log_vprint(int level, const char *prefix, const char *fmt, va_list ap)
{
	char *text;
	int len;

	if (level > threshold)
		return;
	len = vasprintf(&text, fmt, ap);
	if (len < 0)
		return;
	put_line(prefix, text, len);
	free(text);
}

#define DEFINE_LOG(name, level, prefix)             \
	void name(const char *fmt, ...)             \
	{                                           \
		va_list ap;                         \
                                                    \
		va_start(ap, fmt);                  \
		log_vprint(level, prefix, fmt, ap); \
		va_end(ap);                         \
	}

DEFINE_LOG(pr_err, LOG_WARN, "rqspin: ")
DEFINE_LOG(pr_warn, LOG_WARN, "rqspin: warning: ")
DEFINE_LOG(pr_info, LOG_INFO, "")
DEFINE_LOG(pr_debug, LOG_DEBUG, "rqspin: ")

/* Lines after the first are indented: a name with a newline must not begin a line of its own. */
static void put_lines(const char *text)
{
	flockfile(stderr);
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		put_line(line == text ? "" : "    ", line, len);
		line += len + !!line[len];
	}
	funlockfile(stderr);
}

void log_listen(void (*hear)(void *arg, bool warning, const char *text), void *arg)
{
	listener.hear = hear;
	listener.arg = arg;
}

/* Our callers report libbpf's failures in the user's terms; its own text is for -v. */
static int libbpf_log(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	bool wanted =
		level == LIBBPF_WARN && !trying ? threshold >= LOG_DEBUG : threshold > LOG_DEBUG;
	char *text;

	if ((!wanted && !listener.hear) || vasprintf(&text, fmt, ap) < 0)
		return 0;
	if (listener.hear)
		listener.hear(listener.arg, level == LIBBPF_WARN, text);
	if (wanted)
		put_lines(text);
	free(text);
	return 0;
}

void log_verbatim(const char *text)
{
	if (threshold > LOG_DEBUG)
		put_lines(text);
}

void log_init(void)
{
	libbpf_set_print(libbpf_log);
}

void log_trying(bool begin)
{
	trying += begin ? 1 : -1;
}

void log_more(void)
{
	threshold++;
}
