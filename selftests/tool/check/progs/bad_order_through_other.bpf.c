// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. Two elements in order, and a way back from the higher one through another lock. */
#define FROM_KEY 7
#define TO_KEY	 3
#include "order_through.bpf.h"
