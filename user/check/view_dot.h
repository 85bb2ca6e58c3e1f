/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_CHECK_VIEW_DOT_H
#define RQSPIN_CHECK_VIEW_DOT_H

#include "check/result.h"

/* The order of locks as a graph for graphviz, into a file; 0 or -errno. */
int check_write_dot(const struct check_result *r, const char *path);

#endif
