// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

int grow_append(void **array, size_t *nr, const void *item, size_t size)
{
	void *more = *array;

	if (!(*nr & (*nr - 1)))
		more = reallocarray(*array, *nr ? *nr * 2 : 1, size);
	if (!more)
		return -ENOMEM;
	*array = more;
	memcpy((char *)more + (*nr)++ * size, item, size);
	return 0;
}
