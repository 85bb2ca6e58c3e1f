/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Type information of loaded objects: their programs and maps share one copy. */
#ifndef RQSPIN_NAMES_BTFCACHE_H
#define RQSPIN_NAMES_BTFCACHE_H

#include <linux/types.h>

struct btf;

struct btf *btfcache_get(__u32 id); /* NULL if it is gone */
void btfcache_put(struct btf *btf); /* NULL is allowed */

#endif
