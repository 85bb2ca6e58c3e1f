/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs as text: "tc lock g0 ( unlock g0 | )". */
#ifndef RQSPIN_RULES_TEXT_H
#define RQSPIN_RULES_TEXT_H

#include "program.h"

void print_program(const struct program *p, FILE *to);

/* 0, or -EINVAL after a message with the wrong word. */
int parse_program(struct program *p, const char *text);

#endif
