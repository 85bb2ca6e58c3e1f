/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Was the lock right to fail, according to the records of the oracle? */
#ifndef LAB_JUDGE_H
#define LAB_JUDGE_H

#include "ghost.h"

/* Call it while @c still wants the lock. */
void judge_failure(struct ghost_ctx *c, int err, u32 kind, u64 limit_ns);

#endif /* LAB_JUDGE_H */
