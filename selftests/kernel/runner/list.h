/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every test that exists, whether written in C or declared by tags. */
#ifndef RQSPIN_RUNNER_LIST_H
#define RQSPIN_RUNNER_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct test_case;

struct test_entry {
	char name[128];
	const struct test_case *c; /* NULL: a declared program */
	char *object;		   /* path, declared programs only */
	char *prog;		   /* function name, declared programs only */
};

struct test_list {
	struct test_entry *entries;
	size_t count;
};

struct test_entry *list_add(struct test_list *list, const char *suite, const char *name);
int list_collect(struct test_list *list); /* tests in C */
void list_sort(struct test_list *list);
bool list_match(const struct test_entry *e, char *const *globs, size_t count);
void list_free(struct test_list *list);

#endif
