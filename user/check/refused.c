// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "check/refused.h"

void refused_free(struct refused *one)
{
	free(one->object);
	free(one->prog);
	free(one->section);
	free(one->said);
	free(one->lacks);
}

void refusals_forget(struct refusals *r, size_t nr)
{
	while (r->nr > nr)
		refused_free(&r->all[--r->nr]);
}

void refusals_free(struct refusals *r)
{
	refusals_forget(r, 0);
	free(r->all);
	*r = (struct refusals){};
}
