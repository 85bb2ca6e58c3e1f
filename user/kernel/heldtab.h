/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's per-CPU tables of held and attempted resilient locks. */
#ifndef RQSPIN_KERNEL_HELDTAB_H
#define RQSPIN_KERNEL_HELDTAB_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "held.h"

struct bpf_map;
struct bpf_object;
struct heldtab;

/* NULL and errno; why gets one line that says what is missing. */
struct heldtab *heldtab_open(char *why, size_t size);
void heldtab_close(struct heldtab *ht);

/* Copies all tables now. Not atomic: only entries that agree in two copies are certain. */
int heldtab_snapshot(struct heldtab *ht);
const struct held_cpu *heldtab_cpu(const struct heldtab *ht, unsigned int cpu);
unsigned int heldtab_nr_cpus(const struct heldtab *ht);
const __u64 *heldtab_addrs(const struct heldtab *ht); /* HELD_CPUS of them */

/* Bytes from a CPU's runqueues to its table (struct rqspin_ring.held_delta), 0 if unknown. */
__s64 heldtab_delta(void);

/* The map in which an object reports its own failures (struct rqspin_ring). NULL: it has none. */
struct bpf_map *heldtab_ring_map(const struct bpf_object *obj);

/*
 * Writes heldtab_delta() into the ring of an object that reports its own failures. 0, also if it
 * has no ring, or -errno.
 */
int heldtab_arm_object(struct bpf_object *obj);

#endif
