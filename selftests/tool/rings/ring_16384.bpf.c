// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define RQSPIN_RING_EVENTS 16384
#include "rings.bpf.h"
