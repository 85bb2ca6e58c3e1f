/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_TEST_TAP_H
#define RQSPIN_TEST_TAP_H

#include <stdbool.h>

bool tap_result(bool good, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tap_skip(const char *name, const char *reason);
int tap_end(void); /* prints plan and sum; returns the exit status */

#endif
