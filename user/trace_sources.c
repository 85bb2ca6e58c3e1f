// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "trace.h"

/* The place of our kernel's tracepoint rqspinlock:rqspinlock_failure is before all others. */
const struct source *const trace_sources[] = {
	&source_ring, &source_trampoline, &source_stream, &source_mapops, &source_contention,
};

const size_t nr_trace_sources = sizeof(trace_sources) / sizeof(trace_sources[0]);
