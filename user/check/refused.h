/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that could not be loaded, and why. */
#ifndef RQSPIN_CHECK_REFUSED_H
#define RQSPIN_CHECK_REFUSED_H

#include <stdbool.h>
#include <stddef.h>

#include "run/refusal.h"

/**
 * struct refused - a program that could not be loaded
 * @verifier: the verifier refused it, see @why; else something that it needs is missing here
 * @lacks: what it needs and this kernel lacks; or NULL
 * @said: another reason, as text, or NULL
 * @fix: what to do, or NULL
 * @err: errno of the attempt
 * @nr: number of the program in its object
 */
struct refused {
	char *object, *prog, *section, *said, *lacks;
	const char *fix;
	bool verifier;
	int err;
	size_t nr;
	struct refusal why;
};

struct refusals {
	struct refused *all;
	size_t nr;
};

void refused_free(struct refused *one); /* frees its members */

/* Forgets those beyond the first nr. */
void refusals_forget(struct refusals *refusals, size_t nr);
void refusals_free(struct refusals *refusals);

#endif
