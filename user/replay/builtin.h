/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The built-in object, which replays every scene where there is no compiler. */
#ifndef RQSPIN_REPLAY_BUILTIN_H
#define RQSPIN_REPLAY_BUILTIN_H

#include <stddef.h>

#include "replay/scene.h"

/* The object, set up to play the scene. The caller frees *image. Returns 0 or -errno. */
int builtin_object(const struct scene *s, void **image, size_t *size);

#endif
