/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A set of symbols, and of origins of pointers, that have been made anew. */
#ifndef RQSPIN_CHECK_MADE_H
#define RQSPIN_CHECK_MADE_H

#include <stddef.h>

#include "check/sym.h"

struct made_set {
	__u64 *bits;
	size_t nr_words, nr;
};

struct made {
	struct made_set syms, origins;
	bool nomem; /* out of memory: the set is not complete */
};

void made_add_sym(struct made *m, sym_t s);
void made_add_origin(struct made *m, __u32 origin);
bool made_has_origin(const struct made *m, __u32 origin);

/* Is the symbol in the set, or made of one that is? */
bool made_depends(const struct made *m, const struct syms *syms, sym_t s);

void made_add_all(struct made *m, const struct made *more);
size_t made_count(const struct made *m);
void made_free(struct made *m);

#endif
