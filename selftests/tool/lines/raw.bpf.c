// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define LINES_RAW
#define LOCK		  bpf_res_spin_lock
#define UNLOCK		  bpf_res_spin_unlock
#define LOCK_IRQSAVE	  bpf_res_spin_lock_irqsave
#define UNLOCK_IRQRESTORE bpf_res_spin_unlock_irqrestore
#include "calls.h"
