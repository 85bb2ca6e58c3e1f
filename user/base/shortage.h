/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Errors of a probe that say nothing about what was probed. */
#ifndef RQSPIN_BASE_SHORTAGE_H
#define RQSPIN_BASE_SHORTAGE_H

#include <errno.h>
#include <stdbool.h>

/* err: an errno, not negative. Is something used up, or was the call interrupted? */
static inline bool errno_is_shortage(int err)
{
	return err == ENOMEM || err == EAGAIN || err == EINTR || err == EMFILE || err == ENFILE ||
	       err == ENOSPC;
}

#endif
