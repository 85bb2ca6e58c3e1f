/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arrays that grow by one item at a time. */
#ifndef RQSPIN_BASE_GROW_H
#define RQSPIN_BASE_GROW_H

#include <stddef.h>

/*
 * Append an item, all zero, to an array that begins as NULL with *nr 0. NULL: no memory, and
 * nothing has changed.
 */
void *grow_add(void **array, size_t *nr, size_t size);

/*
 * Append a copy of the item to an array that begins as NULL with *nr 0. Room is doubled when it is
 * used up, at powers of two. 0, or -ENOMEM: then nothing has changed.
 */
int grow_append(void **array, size_t *nr, const void *item, size_t size);

#endif
