/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `rqspin record --status` prints. */
#ifndef RQSPIN_SHOW_RECORD_VIEW_H
#define RQSPIN_SHOW_RECORD_VIEW_H

#include <stdbool.h>

struct holdings;
struct recorder_about;

/* 0 or the negative errno of the output. */
int record_view(const struct recorder_about *about, const char *folder, const struct holdings *h,
		bool json);

#endif
