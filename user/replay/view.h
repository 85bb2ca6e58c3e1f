/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A replay as JSON: docs/replay.schema.json. */
#ifndef RQSPIN_REPLAY_VIEW_H
#define RQSPIN_REPLAY_VIEW_H

#include <jansson.h>

#include "replay/scene.h"

json_t *replay_json(const struct scene *s);

#endif
