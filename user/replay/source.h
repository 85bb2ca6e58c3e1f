/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A replay as BPF C. */
#ifndef RQSPIN_REPLAY_SOURCE_H
#define RQSPIN_REPLAY_SOURCE_H

#include <stdio.h>

#include "replay/scene.h"

/* from: "events.jsonl, line 3" */
void source_write(FILE *out, const struct scene *s, const char *from);

#endif
