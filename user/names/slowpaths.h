/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the kernel's functions that wait for resilient locks are. */
#ifndef RQSPIN_NAMES_SLOWPATHS_H
#define RQSPIN_NAMES_SLOWPATHS_H

#include <linux/types.h>
#include <stdbool.h>

#include "slowpath.h"

struct ksyms;

/* False: this kernel has none of them, or hides them in /proc/kallsyms. */
bool slowpaths_find(struct ksyms *ks, struct slowpath found[SLOWPATHS]);

#endif
