/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One file of tests ends with UNIT_GROUP(name, tests); main.c finds it. */
#ifndef RQSPIN_UNIT_H
#define RQSPIN_UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

struct unit_group {
	int (*run)(void); /* returns how many failed */
	size_t nr;
	struct unit_group *next;
};

void unit_register(struct unit_group *group);

#define UNIT_GROUP(name, tests)                                                               \
	static int name##_run(void)                                                           \
	{                                                                                     \
		return cmocka_run_group_tests_name(#name, tests, NULL, NULL);                 \
	}                                                                                     \
	static struct unit_group name##_group = { .run = name##_run,                          \
						  .nr = sizeof(tests) / sizeof((tests)[0]) }; \
	__attribute__((constructor)) static void name##_register(void)                        \
	{                                                                                     \
		unit_register(&name##_group);                                                 \
	}

#endif
