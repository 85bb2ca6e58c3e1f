/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which name did the user mean? */
#ifndef RQSPIN_BASE_SUGGEST_H
#define RQSPIN_BASE_SUGGEST_H

#include <stddef.h>

/* Keeps the closer of *best and name, if one is close to what was typed. Begin with best NULL. */
struct suggest {
	const char *typed, *best;
	size_t distance;
};

void suggest_try(struct suggest *s, const char *name);

#endif
