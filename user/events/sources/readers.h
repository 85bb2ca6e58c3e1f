/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Readers of the programs' error streams take the text from each other, so they have to detect each
 * other.
 */
#ifndef RQSPIN_SOURCES_READERS_H
#define RQSPIN_SOURCES_READERS_H

#include <stdbool.h>

/* Lets other rqspin processes detect this reader. Returns a descriptor; -errno: they cannot. */
int readers_join(void);

/*
 * Does another process read, too? joined: the descriptor of readers_join(), to be closed at the
 * end.
 */
bool readers_others(int joined);

#endif
