// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void *grow_add(void **array, size_t *nr, size_t size)
{
	void *more = *array;

	if (!(*nr & (*nr - 1)))
		more = reallocarray(*array, *nr ? *nr * 2 : 1, size);
	if (!more)
		return NULL;
	*array = more;
	return memset((char *)more + (*nr)++ * size, 0, size);
}

int grow_append(void **array, size_t *nr, const void *item, size_t size)
{
	void *fresh = grow_add(array, nr, size);

	if (!fresh)
		return -ENOMEM;
	memcpy(fresh, item, size);
	return 0;
}
