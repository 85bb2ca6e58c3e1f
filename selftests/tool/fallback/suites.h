/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_TEST_SUITES_H
#define RQSPIN_TEST_SUITES_H

void test_api(int cpus);

#endif
