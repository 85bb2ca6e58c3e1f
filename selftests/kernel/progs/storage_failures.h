/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by storage_failures.bpf.c and the C that drives it. */
#ifndef RQSPIN_STORAGE_FAILURES_H
#define RQSPIN_STORAGE_FAILURES_H

#define ARENA_PAGES 64

#endif
