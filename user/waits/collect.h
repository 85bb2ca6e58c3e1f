/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for resilient locks while they are collected: the BPF object and what it has written. */
#ifndef RQSPIN_WAITS_COLLECT_H
#define RQSPIN_WAITS_COLLECT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "waits.h"

struct ksyms;
struct wait_scope;
struct waits;

/*
 * @scope: which waits; NULL: all, by lock and caller alone. @emptied: use two halves, so that
 * counted waits can be taken out of the tables. Returns 0, or -errno after printing why.
 */
int waits_open(struct waits **waits, struct ksyms *ks, const struct wait_scope *scope,
	       bool emptied);
void waits_close(struct waits *w);

/* Stop counting; what was counted stays. */
void waits_stop(struct waits *w);

/*
 * The programs write into the other half from now on. True: no program writes into the half that
 * waits_at() reads any more; otherwise call it again.
 */
bool waits_turn(struct waits *w);
/* After that: empty the half that was read. */
void waits_clear(struct waits *w);
/* Is there little room left, so that it is time to turn? */
bool waits_crowded(const struct waits *w);

/* Entry i of all CPUs' tables; NULL: it is free. */
const struct waits_entry *waits_at(const struct waits *w, size_t i);
size_t waits_room(const struct waits *w);

/* Waits that found no entry, in the half that waits_at() reads. */
void waits_others(const struct waits *w, struct waits_sum *others);

/* Waits that were not timed, or, without halves, that are in no entry. */
__u64 waits_dropped(const struct waits *w);

#endif
