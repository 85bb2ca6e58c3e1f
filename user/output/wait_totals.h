/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many long waits a recorder has kept, for the summary of trace --last. */
#ifndef RQSPIN_SHOW_WAIT_TOTALS_H
#define RQSPIN_SHOW_WAIT_TOTALS_H

#include <jansson.h>

struct wait_totals;

/* On standard error, because it is no data. */
void wait_summary_text(const struct wait_totals *w);
json_t *wait_totals_json(const struct wait_totals *w); /* null: waits were not recorded */

#endif
