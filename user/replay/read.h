/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a line of `rqspin trace --json` to a scene. */
#ifndef RQSPIN_REPLAY_READ_H
#define RQSPIN_REPLAY_READ_H

#include "replay/scene.h"

/*
 * Of a failure that lines_read() has accepted, and that lives as long as the scene. 0, or
 * -EOPNOTSUPP after it has said why this failure cannot be played again.
 */
int scene_read(struct scene *s, const json_t *event);

#endif
