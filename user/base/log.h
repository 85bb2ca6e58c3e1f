/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* stderr is talk, stdout is data: nothing here writes to stdout. */
#ifndef RQSPIN_BASE_LOG_H
#define RQSPIN_BASE_LOG_H

#include <stdbool.h>

/* -v shows our debug and libbpf's warnings, -vv all of libbpf's. */
void log_init(void);

/* Around what is tried only to see if it works: libbpf's warnings about it are for -vv. Nests. */
void log_trying(bool begin);
void log_verbatim(const char *text); /* several lines, for -vv */

/* All that libbpf says, at all of its levels, goes there, too; NULL: no more. */
void log_listen(void (*hear)(void *arg, bool warning, const char *text), void *arg);

/* Whole lines go there instead of to stderr, while something else has the terminal; NULL: no more.
 */
void log_divert(void (*to)(const char *line));

void log_more(void); /* one -v */

/* "rqspin: message" on stderr. The message names the thing and the fix. */
void pr_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
