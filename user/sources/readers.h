/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Readers of the programs' error streams take the text from each other, so they have to know. */
#ifndef RQSPIN_SOURCES_READERS_H
#define RQSPIN_SOURCES_READERS_H

#include <stdbool.h>

/* From now on other rqspin processes see that this one reads; -errno: they cannot. */
int readers_join(void);

/* Does another process read, too? joined: what readers_join() returned; close() ends it. */
bool readers_others(int joined);

#endif
