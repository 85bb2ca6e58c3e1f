/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is replayed of an event: who holds which lock and wants which. */
#ifndef RQSPIN_REPLAY_SCENE_H
#define RQSPIN_REPLAY_SCENE_H

#include <jansson.h>
#include <stdbool.h>

#include "replay/idents.h"

#define SCENE_PARTIES 33 /* the longest cycle that an event can show */

enum scene_kind { SCENE_AA, SCENE_CYCLE, SCENE_TIMEOUT };
enum scene_home { HOME_GLOBAL, HOME_ARRAY, HOME_HASH };

/**
 * struct scene_lock - a lock of the replay
 * @event: the lock that it stands for; NULL: the event does not say which
 * @home: where it is
 * @map: C name of the map; the lock's own if it is a global variable
 * @field: C name of the lock in the map's value
 * @key: of the element
 */
struct scene_lock {
	const json_t *event;
	enum scene_home home;
	char map[IDENT_SIZE], field[IDENT_SIZE];
	unsigned int key;
};

/**
 * struct scene_party - one CPU
 * @event: the failure itself, an entry of its chain, or its owner; NULL: not in the event
 * @function: C name of its program
 * @holds: index of a lock
 * @wants: index of a lock
 */
struct scene_party {
	const json_t *event;
	char function[IDENT_SIZE];
	unsigned int holds, wants;
};

/**
 * struct scene - one failure
 * @event: the failure
 * @kind_text: "ABBA", "CYCLE 3"
 * @nr: parties; the failing one is the first, in a timeout the second
 */
struct scene {
	const json_t *event;
	enum scene_kind kind;
	char kind_text[16];
	unsigned int nr, nr_locks;
	struct scene_party parties[SCENE_PARTIES];
	struct scene_lock locks[SCENE_PARTIES];
	struct idents idents;
};

bool scene_internal(const struct scene_lock *lock); /* only the kernel takes it, inside a map */

/* For struct sample_run: the expected outcome as text, and the number of rounds. */
const char *scene_expect(const struct scene *s);
unsigned int scene_rounds(const struct scene *s);

#endif
