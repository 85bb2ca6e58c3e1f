/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading the per-CPU rings that the tracer's BPF programs fill. */
#ifndef RQSPIN_WITNESS_RING_H
#define RQSPIN_WITNESS_RING_H

#include <linux/types.h>
#include <stdbool.h>

#include "witness.h"

struct bpf_map;
struct bpf_program;
struct failure;
struct session;
struct witness_rings;

/* Before loading: one ring per possible CPU. */
int witness_prepare(struct bpf_map *map);

/* After loading. NULL and errno on failure. */
struct witness_rings *witness_open(struct bpf_map *map);
/* Over rings that are mapped already; closing unmaps them. */
struct witness_rings *witness_over(struct witness_ring *rings, int nr);

void witness_close(struct witness_rings *wr);

typedef void (*witness_fn)(const struct witness *w, void *ctx);

void witness_poll(struct witness_rings *wr, witness_fn fn, void *ctx);

/* Overwritten before they were read. */
__u64 witness_lost(const struct witness_rings *wr);

/* Calls that the program did not see, because they came while it ran on the same CPU. */
__u64 witness_missed(const struct bpf_program *prog);

/* When, where and who, as a failure: what every kind of witness has. */
void witness_facts(const struct witness *w, struct failure *f);

/* The same, and what its tables tell. The lock and errno must be set already. */
void witness_failure(const struct witness *w, struct failure *f);

#endif
