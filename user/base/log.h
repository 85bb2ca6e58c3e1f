/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* stderr is talk, stdout is data: nothing here writes to stdout. */
#ifndef RQSPIN_BASE_LOG_H
#define RQSPIN_BASE_LOG_H

#include <stdbool.h>

/* -v shows our debug and libbpf's warnings, -vv all of libbpf's. */
void log_init(void);

/*
 * Called around an attempt that is allowed to fail: libbpf's warnings about it are for -vv. Nests.
 */
void log_trying(bool begin);
void log_verbatim(const char *text); /* several lines, for -vv */

/* Also passes all messages of libbpf, of all its levels, to hear. NULL: no longer. */
void log_listen(void (*hear)(void *arg, bool warning, const char *text), void *arg);

/*
 * Passes whole lines to a function instead of stderr while something else uses the terminal. NULL:
 * no longer.
 */
void log_divert(void (*to)(const char *line));

void log_more(void); /* one -v */

/* "rqspin: message" on stderr. The message names the thing and the fix. */
void pr_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
