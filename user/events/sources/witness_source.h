/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code shared by the sources that are a BPF object with rings of records: open, start, poll, close.
 */
#ifndef RQSPIN_SOURCES_WITNESS_SOURCE_H
#define RQSPIN_SOURCES_WITNESS_SOURCE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "events/sources/witness_pins.h"
#include "events/sources/witness_ring.h"
#include "events/losses.h"

struct bpf_object_skeleton;
struct session;

/**
 * struct witness_source - the first member of such a source's state
 * @ops: what differs from source to source
 * @session: NULL if the object is loaded only to see if it loads
 * @skeleton: the object's, NULL before it is open, or if another process has loaded it
 * @shape: layout of its memory: a constant of the object
 * @rings: the rings in its maps, NULL before it is loaded
 * @likes: the first failure of each group, NULL: not yet seen
 * @nr_likes: groups in use at the last look
 * @pins: folder in which it is pinned, "" if it is not
 * @recalled: the names stored with the records have been read
 */
struct witness_source {
	const struct witness_source_ops *ops;
	struct session *session;
	struct bpf_object_skeleton *skeleton;
	struct witness_shape *shape;
	struct witness_rings *rings;
	struct failure **likes;
	__u64 nr_likes;
	char pins[WITNESS_PINS_PATH];
	bool recalled;
};

/**
 * struct witness_source_ops - how one such source differs from others
 * @size: bytes of the state
 * @source: the source
 * @fewer_details: in a burst, one in so many failures keeps its details
 * @open: opens the object, and sets @shape and all that has to be set before loading; NULL and
 * errno on failure
 * @loaded: sets all that can be set only after loading, may be NULL; 0 or -errno
 * @anchor: returns the object's variable for an address in the kernel's list of programs; NULL: the
 * object keeps no names
 * @sparse: records are in no groups, and have details only for their stacks
 * @optional: may the program be left out where it cannot be loaded or attached, as long as another
 * one is attached? NULL: none may
 * @attached: called for each program that is attached; may be NULL
 * @destroy: destroys the object, with its links; the object may not be open
 * @failure: makes a failure of a record; false if it is none. Details as for witness_fn
 */
struct witness_source_ops {
	size_t size;
	const struct source *source;
	unsigned int fewer_details;
	struct bpf_object_skeleton *(*open)(void *state);
	int (*loaded)(void *state);
	__u64 *(*anchor)(void *state);
	bool sparse;
	bool (*optional)(const char *prog);
	void (*attached)(const char *prog, void *state);
	void (*destroy)(void *state);
	bool (*failure)(void *state, const struct witness *w, const void *details,
			struct failure *f);
};

/* Do the programs load and attach? If not, errno is the reason. */
bool witness_source_works(const struct witness_source_ops *ops);

/*
 * Calls that the source's program prog missed, because they came while it ran on the same CPU. prog
 * NULL: of all its programs.
 */
__u64 witness_source_missed(const struct witness_source *ws, const char *prog);

/*
 * For struct source: poll, losses and close are used as they are, open with the ops of the source.
 */
void *witness_source_open(struct session *s, const struct witness_source_ops *ops);
void witness_source_poll(void *state, bool last);
void witness_source_losses(void *state, loss_fn fn, void *ctx);
void witness_source_close(void *state);

/*
 * For @loaded: sets the addresses of the kernel's tables of held locks. 0, or -EOPNOTSUPP if they
 * are unknown.
 */
int witness_source_held(const struct witness_source *ws, __u64 *addrs, size_t size);

#endif
