/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's own reports, watched from inside while they are written; the streams stay unread. */
#ifndef RQSPIN_SOURCES_TRAMPOLINE_H
#define RQSPIN_SOURCES_TRAMPOLINE_H

#include "events/source.h"

extern const struct source source_trampoline;

#endif
