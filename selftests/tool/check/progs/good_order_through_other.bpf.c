// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. As bad_order_through_other.bpf.c, but the way back is that of the order. */
#define FROM_KEY 3
#define TO_KEY	 7
#include "order_through.bpf.h"
