/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a line of `rqspin trace --json` to a scene. */
#ifndef RQSPIN_REPLAY_READ_H
#define RQSPIN_REPLAY_READ_H

#include "replay/scene.h"

/*
 * @event: a failure that lines_read() has accepted; it must live as long as the scene. Returns 0,
 * or -EOPNOTSUPP after printing why this failure cannot be replayed.
 */
int scene_read(struct scene *s, const json_t *event);

#endif
