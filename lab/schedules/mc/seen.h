/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The set of states that were seen, by their 64-bit hashes. */
#ifndef MC_SEEN_H
#define MC_SEEN_H

#include <stdbool.h>
#include <stdint.h>

void seen_init(uint64_t max);
/* Returns true if @hash was not in the set. */
bool seen_add(uint64_t hash);
bool seen_full(void);

#endif /* MC_SEEN_H */
