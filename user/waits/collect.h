/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for resilient locks while they are collected: the BPF object and what it has written. */
#ifndef RQSPIN_WAITS_COLLECT_H
#define RQSPIN_WAITS_COLLECT_H

#include <linux/types.h>
#include <stddef.h>

#include "waits.h"

struct ksyms;
struct waits;

/* -errno after it has said why. */
int waits_open(struct waits **waits, struct ksyms *ks);
void waits_close(struct waits *w);

/* Stop counting; what was counted stays. */
void waits_stop(struct waits *w);

/* Entry i of all CPUs' tables; NULL: it is free. */
const struct waits_entry *waits_at(const struct waits *w, size_t i);
size_t waits_room(const struct waits *w);

/* Waits that are in no entry. */
__u64 waits_dropped(const struct waits *w);

#endif
