// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sources/contention.h"
#include "sources/mapops.h"
#include "sources/ring.h"
#include "sources/stream.h"
#include "sources/table.h"
#include "sources/tracepoint.h"
#include "sources/trampoline.h"

const struct source *const trace_sources[] = {
	&source_tracepoint, &source_ring, &source_trampoline, &source_stream, &source_mapops,
	&source_contention, NULL,
};

const char *source_name(size_t nth)
{
	return trace_sources[nth] ? trace_sources[nth]->name : NULL;
}
