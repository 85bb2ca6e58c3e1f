/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_CHECK_VIEW_SARIF_H
#define RQSPIN_CHECK_VIEW_SARIF_H

#include "check/result.h"

void check_print_sarif(const struct check_result *r, const char *version); /* SARIF 2.1.0 */

#endif
