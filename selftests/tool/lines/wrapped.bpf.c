// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define LOCK		  res_spin_lock
#define UNLOCK		  res_spin_unlock
#define LOCK_IRQSAVE	  res_spin_lock_irqsave
#define UNLOCK_IRQRESTORE res_spin_unlock_irqrestore
#include "calls.h"
