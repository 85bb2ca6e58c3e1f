/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings as compilers print theirs: editors know what to do with it. */
#ifndef RQSPIN_CHECK_VIEW_TEXT_H
#define RQSPIN_CHECK_VIEW_TEXT_H

#include "check/result.h"

void check_print_text(const struct check_result *r);

const char *severity_name(enum severity severity);

#endif
