/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A timeline of CPUs in the format of trace events, which Perfetto and Chrome open. */
#ifndef RQSPIN_REPORT_PERFETTO_H
#define RQSPIN_REPORT_PERFETTO_H

#include <stdio.h>

#include "output/page/known.h"
#include "output/page/marks.h"

/**
 * perfetto_write() - write one JSON object, in the order in which a viewer reads it
 * @out: the file to write to
 * @m: settled marks
 * @known: names that only some lines have
 * @about: content of "otherData"; this function takes it over
 *
 * Each CPU has two tracks: waits are slices of one, failures are instants of the other. Arrows lead
 * from each wait of a cycle to the next.
 *
 * Return: 0, or -ENOMEM; a failed write sets the error of @out
 */
int perfetto_write(FILE *out, const struct marks *m, const struct known *known, json_t *about);

#endif
