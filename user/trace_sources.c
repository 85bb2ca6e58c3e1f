// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "trace.h"

const struct source *const trace_sources[] = {
	&source_tracepoint, &source_ring,   &source_trampoline,
	&source_stream,	    &source_mapops, &source_contention,
};

const size_t nr_trace_sources = sizeof(trace_sources) / sizeof(trace_sources[0]);
