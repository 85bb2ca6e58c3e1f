/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Enough of the kernel for its spin locks to compile unchanged in user space.
 * A pinned thread stands for a CPU, a signal for an interrupt.
 */
#ifndef LAB_SHIM_H
#define LAB_SHIM_H

#include "config.h"
#include "compiler.h"
#include "percpu.h"
#include "context.h"
#include "atomic.h"
#include "trace.h"

#endif /* LAB_SHIM_H */
