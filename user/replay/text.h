/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parties and locks of a replay stand for, in words. */
#ifndef RQSPIN_REPLAY_TEXT_H
#define RQSPIN_REPLAY_TEXT_H

#include <stdio.h>

#include "replay/scene.h"

#define PARTY_TEXT 1200
#define LOCK_TEXT  500

/* "abba_1 at abba.bpf.c:24, CPU 1, task rqspin/498" */
const char *party_text(const struct scene_party *party, char text[PARTY_TEXT]);

/* "lock_a(map 102)" */
const char *lock_text(const struct scene_lock *lock, char text[LOCK_TEXT]);

/* Writes into a comment of C: nothing in @text ends the comment or the line. */
void comment_put(FILE *out, const char *text);

#endif
