/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs whose tags (progs/test_macros.h) declare the expected verdict of the verifier. */
#ifndef RQSPIN_RUNNER_DECLARED_H
#define RQSPIN_RUNNER_DECLARED_H

struct test_entry;
struct test_list;

int declared_collect(struct test_list *list, const char *progs_dir);
void declared_run(const struct test_entry *e);

#endif
