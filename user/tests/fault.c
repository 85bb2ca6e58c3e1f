// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>

#include "fault.h"

static unsigned long left;
static bool failed;

void fault_at(unsigned long nr)
{
	left = nr;
	failed = false;
}

bool fault_end(void)
{
	left = 0;
	return failed;
}

static bool fault_now(void)
{
	if (!left || --left)
		return false;
	failed = true;
	return true;
}

/* The linker puts these in the place of all calls (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	return fault_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fault_now() ? NULL : __real_calloc(nr, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fault_now() ? NULL : __real_realloc(old, size);
}
