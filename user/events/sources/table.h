/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sources there are. A new one is a file, its header and a line in table.c. */
#ifndef RQSPIN_SOURCES_TABLE_H
#define RQSPIN_SOURCES_TABLE_H

#include <stddef.h>

#include "events/source.h"

/* Best first; ends with NULL. */
extern const struct source *const trace_sources[];

/* Their names, for help and completion: NULL behind the last. */
const char *source_name(size_t nth);

#endif
