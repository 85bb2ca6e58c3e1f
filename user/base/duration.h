/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_BASE_DURATION_H
#define RQSPIN_BASE_DURATION_H

#include <stdint.h>

/* "1.64 ms": three digits; buf is returned. */
const char *format_ns(uint64_t ns, char buf[16]);

#endif
