/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do filters ask for waits whose program or lock may have been gone before it had a name? */
#ifndef RQSPIN_METRICS_WAIT_ASKED_H
#define RQSPIN_METRICS_WAIT_ASKED_H

struct locknames;
struct trace_filter;
struct wait_drained;

/**
 * enum wait_asked - whether waits are asked for
 * @WAIT_NOT_ASKED: they are not, or are the tool's own
 * @WAIT_ASKED: they are
 * @WAIT_ASKED_UNKNOWN: cannot be decided, because the program or the lock has no name
 */
enum wait_asked {
	WAIT_NOT_ASKED,
	WAIT_ASKED,
	WAIT_ASKED_UNKNOWN,
};

/* @names: NULL: no lock has a name. */
enum wait_asked wait_asked(const struct trace_filter *filter, const struct wait_drained *d,
			   struct locknames *names);

#endif
