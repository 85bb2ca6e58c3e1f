/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The output of `rqspin errno`. */
#ifndef RQSPIN_SHOW_ERRORS_VIEW_H
#define RQSPIN_SHOW_ERRORS_VIEW_H

#include "kernel/maplocks.h"

/**
 * struct errors_view - the question, and what is known of the kernel
 * @type: map type, operation and error as in errors.tsv; no error: all of them
 * @op: see @type
 * @error: see @type
 * @release: of the running kernel; NULL if another one is asked about
 * @btf: file with the kernel's types; NULL if they could not be read
 * @locks: the locks inside maps, by these types
 */
struct errors_view {
	const char *type, *op, *error;
	const char *release, *btf;
	struct maplocks locks;
};

void errors_print_text(const struct errors_view *v);
void errors_print_json(const struct errors_view *v);

#endif
