// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define LINES_EVENTS
#include "raw.bpf.c"
