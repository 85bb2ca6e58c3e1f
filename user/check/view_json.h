/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_CHECK_VIEW_JSON_H
#define RQSPIN_CHECK_VIEW_JSON_H

#include "check/result.h"

void check_print_json(const struct check_result *r); /* docs/check.schema.json */

#endif
