/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The object that replays everything where there is no compiler. */
#ifndef RQSPIN_REPLAY_BUILTIN_H
#define RQSPIN_REPLAY_BUILTIN_H

#include <stddef.h>

#include "replay/scene.h"

/* Set to play the scene. *image is to be freed. 0 or -errno. */
int builtin_object(const struct scene *s, void **image, size_t *size);

#endif
