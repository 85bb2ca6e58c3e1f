/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ctrl-C and friends end a verb in its own time; a second one ends it at once. */
#ifndef RQSPIN_BASE_STOP_H
#define RQSPIN_BASE_STOP_H

#include <stdbool.h>
#include <stdint.h>

void stop_init(void);
bool stop_asked(void);
void stop_pause(uint64_t ms);	/* a signal to stop ends it, also one that came before */
bool stop_hangup_ignored(void); /* by nohup: SIGHUP must not end anything */

#endif
