/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_SUITES_H
#define SIM_SUITES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

int test_core(void);
int test_locks(void);
int test_jobs(void);
int test_faults(void);

/* Where the locks in C are built. */
int test_c(void) __attribute__((weak));

#endif
