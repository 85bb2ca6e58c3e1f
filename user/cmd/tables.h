/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_TABLES_H
#define RQSPIN_TABLES_H

#include <stddef.h>

struct cmd;

/* Verbs, options and samples as JSON: man page and completion are made from it. */
void tables_dump(const struct cmd *const *cmds, size_t nr);

#endif
