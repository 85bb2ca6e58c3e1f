/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every failure of the lock of our kernel series, as the lock itself reports it. */
#ifndef RQSPIN_SOURCES_TRACEPOINT_H
#define RQSPIN_SOURCES_TRACEPOINT_H

#include "events/source.h"

extern const struct source source_tracepoint;

#endif
