/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The flight recorder: pinned BPF programs that go on without a process, and what they recorded. */
#ifndef RQSPIN_RECORD_RECORDER_H
#define RQSPIN_RECORD_RECORDER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/recorder/place.h"
#include "events/source.h"

#define RECORDER_MAGIC	  "rqspin recorder"
#define RECORDER_KEEP	  256 /* failures per CPU and source */
#define RECORDER_KEEP_MIN 16
#define RECORDER_KEEP_MAX (1 << 16)

/**
 * struct recorder_about - description of a recorder, in its map "meta"
 * @magic: RECORDER_MAGIC
 * @layout: of everything that is pinned: data of another layout cannot be read
 * @keep: failures per CPU and source, and waits per CPU
 * @pid: the command that started it
 * @newest_map: id of the newest map of all when it was started
 * @pad: zero
 * @started_ns: when, CLOCK_MONOTONIC
 * @longer_ns: waits that last longer are recorded, too; 0: none
 * @stacks: call traces are recorded
 * @version: of that command
 * @sources: the sources that record, with commas between
 * @not_seen: waits that the kernel does not tell of, in words, "" if there are none
 */
struct recorder_about {
	char magic[16];
	__u32 layout;
	__u32 keep;
	__u32 pid;
	__u32 stacks;
	__u32 newest_map;
	__u32 pad;
	__u64 started_ns;
	__u64 longer_ns;
	char version[32];
	char sources[128];
	char not_seen[128];
};

/**
 * struct recorder_order - what to record
 * @bpffs: where the recorder is pinned
 * @keep: failures per CPU and source, and waits per CPU
 * @longer_ns: record waits that last longer, too; 0: none
 * @not_seen: as in struct recorder_about; NULL: none
 * @stacks: with call traces
 * @sources: as for session_open()
 */
struct recorder_order {
	const char *bpffs;
	uint64_t keep;
	uint64_t longer_ns;
	const char *not_seen;
	bool stacks;
	const char *sources;
};

/* The sources that can record; ends with NULL. */
const struct source *const *recorder_sources(void);

/* All print why they fail. 0 or -errno: -EOPNOTSUPP: this kernel or user cannot do it. */
int recorder_start(const struct recorder_order *order, struct recorder_about *about);
/* *was: there was something to remove. */
int recorder_stop(const char *bpffs, bool *was);
/* Finds the running recorder. -ENOENT: there is none; -EPROTO: it is another version's. */
int recorder_find(const char *bpffs, struct place *place, struct recorder_about *about);

#endif
