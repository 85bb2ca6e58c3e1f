// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "trace/losses.h"

void losses_text(const struct losses *l, char buf[LOSSES_TEXT])
{
	char missed[64] = "", unseen[64] = "";

	if (l->missed)
		snprintf(missed, sizeof(missed), "%u program%s came and went unseen", l->missed,
			 l->missed == 1 ? "" : "s");
	if (l->unseen)
		snprintf(unseen, sizeof(unseen), "%u program%s without reports of failures",
			 l->unseen, l->unseen == 1 ? "" : "s");
	if (!l->unknown)
		snprintf(buf, LOSSES_TEXT, "%llu", l->lost);
	else if (l->lost)
		snprintf(buf, LOSSES_TEXT, "at least %llu", l->lost);
	else
		snprintf(buf, LOSSES_TEXT, "unknown");
	if (l->unknown)
		snprintf(buf + strlen(buf), LOSSES_TEXT - strlen(buf), " (%s%s%s)", missed,
			 *missed && *unseen ? ", " : "",
			 *missed || *unseen ? unseen : "a source may have missed some");
}
