/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings in the format of compiler messages, which editors understand. */
#ifndef RQSPIN_CHECK_VIEW_TEXT_H
#define RQSPIN_CHECK_VIEW_TEXT_H

#include "check/result.h"

void check_print_text(const struct check_result *r);

const char *severity_name(enum severity severity);

#endif
