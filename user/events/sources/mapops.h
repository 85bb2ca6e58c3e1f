/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations of hash maps, LRU maps and local storage that fail because of a lock inside. */
#ifndef RQSPIN_SOURCES_MAPOPS_H
#define RQSPIN_SOURCES_MAPOPS_H

#include "events/source.h"

extern const struct source source_mapops;

#endif
