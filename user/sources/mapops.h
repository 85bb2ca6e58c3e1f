/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hash map operations that fail because of a lock inside the map. */
#ifndef RQSPIN_SOURCES_MAPOPS_H
#define RQSPIN_SOURCES_MAPOPS_H

#include "trace/source.h"

extern const struct source source_mapops;

#endif
