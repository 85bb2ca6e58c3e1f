/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures in the lock's queue that no other source reports, such as those of locks inside maps. */
#ifndef RQSPIN_SOURCES_CONTENTION_H
#define RQSPIN_SOURCES_CONTENTION_H

#include "events/source.h"

extern const struct source source_contention;

#endif
