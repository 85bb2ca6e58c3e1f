// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/runner/test.h"
#include "kernel/runner/list.h"

/* Bounds of the section that TEST_SUITE() fills; the linker defines them. */
extern const struct test_suite *const __start_test_suites[];
extern const struct test_suite *const __stop_test_suites[];

struct test_entry *list_add(struct test_list *list, const char *suite, const char *name)
{
	struct test_entry *e;

	e = reallocarray(list->entries, list->count + 1, sizeof(*e));
	if (!e)
		return NULL;
	list->entries = e;
	e += list->count++;
	memset(e, 0, sizeof(*e));
	snprintf(e->name, sizeof(e->name), "%s/%s", suite, name);
	return e;
}

int list_collect(struct test_list *list)
{
	const struct test_suite *const *s;
	const struct test_case *c;
	struct test_entry *e;

	for (s = __start_test_suites; s < __stop_test_suites; s++) {
		for (c = (*s)->cases; c->name; c++) {
			e = list_add(list, (*s)->name, c->name);
			if (!e)
				return -ENOMEM;
			e->c = c;
		}
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct test_entry *)a)->name, ((const struct test_entry *)b)->name);
}

void list_sort(struct test_list *list)
{
	qsort(list->entries, list->count, sizeof(*list->entries), by_name);
}

bool list_match(const struct test_entry *e, char *const *globs, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!fnmatch(globs[i], e->name, 0))
			return true;
	}
	return !count;
}

void list_free(struct test_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		free(list->entries[i].object);
		free(list->entries[i].prog);
	}
	free(list->entries);
}
