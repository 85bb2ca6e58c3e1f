/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What sources share that are a BPF object with rings of witnesses: open, start, poll, close. */
#ifndef RQSPIN_SOURCES_WITNESS_SOURCE_H
#define RQSPIN_SOURCES_WITNESS_SOURCE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "sources/witness_pins.h"
#include "sources/witness_ring.h"
#include "trace/losses.h"

struct bpf_object_skeleton;
struct session;

/**
 * struct witness_source - the first member of such a source's state
 * @ops: what differs from source to source
 * @session: NULL while it is only found out whether the object loads
 * @skeleton: of the object, NULL before it is open, or if another process has loaded it
 * @shape: of its memory: a constant of the object
 * @rings: of its maps, NULL before it is loaded
 * @likes: the first failure of each group, NULL: not yet seen
 * @nr_likes: of the groups, how many were in use at the last look
 * @pins: where it is pinned, "" if it is not
 * @recalled: the names that were written down are known
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
 * @size: of the state
 * @source: whose they are
 * @fewer_details: so many failures for each that keeps its details in a burst
 * @open: opens the object and sets @shape and what has to be set before loading; NULL and errno on
 *        failure
 * @loaded: sets what can be set only then, may be NULL; 0 or -errno
 * @anchor: where the object is told where the kernel's list of programs is; NULL: it keeps no names
 * @optional: what cannot be attached is left out, as long as something is
 * @attached: a program is; may be NULL
 * @destroy: the object, with its links; it may not be open
 * @failure: makes a failure of a record; false if it is none. Details as for witness_fn
 */
struct witness_source_ops {
	size_t size;
	const struct source *source;
	unsigned int fewer_details;
	struct bpf_object_skeleton *(*open)(void *state);
	int (*loaded)(void *state);
	__u64 *(*anchor)(void *state);
	bool optional;
	void (*attached)(const char *prog, void *state);
	void (*destroy)(void *state);
	bool (*failure)(void *state, const struct witness *w, const void *details,
			struct failure *f);
};

/* Do the programs load and attach? If not, errno says why. */
bool witness_source_works(const struct witness_source_ops *ops);

/*
 * Calls that the source's program of that name did not see, because they came while it ran on the
 * same CPU. NULL: of all its programs.
 */
__u64 witness_source_missed(const struct witness_source *ws, const char *prog);

/* For struct source: poll and close as they are, open with its ops. */
void *witness_source_open(struct session *s, const struct witness_source_ops *ops);
void witness_source_poll(void *state, bool last);
void witness_source_losses(void *state, loss_fn fn, void *ctx);
void witness_source_close(void *state);

/* For @loaded: where the kernel's tables of held locks are; -EOPNOTSUPP if that is not known. */
int witness_source_held(const struct witness_source *ws, __u64 *addrs, size_t size);

#endif
