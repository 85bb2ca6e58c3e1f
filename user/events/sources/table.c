// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "events/sources/contention.h"
#include "events/sources/mapops.h"
#include "events/sources/ring.h"
#include "events/sources/stream.h"
#include "events/sources/table.h"
#include "events/sources/tracepoint.h"
#include "events/sources/trampoline.h"

const struct source *const trace_sources[] = {
	&source_tracepoint, &source_ring, &source_trampoline, &source_stream, &source_mapops,
	&source_contention, NULL,
};

const char *source_name(size_t nth)
{
	return trace_sources[nth] ? trace_sources[nth]->name : NULL;
}
