/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One long wait as a line of text or JSON. */
#ifndef RQSPIN_SHOW_WAIT_VIEW_H
#define RQSPIN_SHOW_WAIT_VIEW_H

#include <stdbool.h>

struct failure;
struct lock_view;

/* 0 or the negative errno of the output. */
int wait_text(const struct failure *f, const struct lock_view *v, bool stacks);
int wait_json(const struct failure *f, const struct lock_view *v, bool stacks);

#endif
