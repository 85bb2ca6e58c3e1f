// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define LINES_EVENTS
#define LINES_FALLBACK
#define LOCK			       res_fb_lock
#define UNLOCK			       res_fb_unlock
#define LOCK_IRQSAVE(lock, flags)      ((void)(flags), res_fb_lock(lock))
#define UNLOCK_IRQRESTORE(lock, flags) ((void)(flags), res_fb_unlock(lock))
#include "calls.h"
