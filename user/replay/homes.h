/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the locks of a replay are: in variables, arrays, hash maps. */
#ifndef RQSPIN_REPLAY_HOMES_H
#define RQSPIN_REPLAY_HOMES_H

#include <stdbool.h>

struct scene;
struct scene_lock;

/* Places the locks as in the event, as far as programs can have such locks. */
void homes_choose(struct scene *s);

bool homes_first(const struct scene *s, unsigned int lock); /* is it the first lock in its map? */

#endif
