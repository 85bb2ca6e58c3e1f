// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "kernel/maplocks.h"
#include "events/losses.h"

bool losses_possible(const struct losses *l)
{
	return l->unknown || l->blind;
}

static void put_reasons(FILE *out, const struct losses *l)
{
	const char *comma = "";
	char types[160];

	if (l->missed) {
		fprintf(out, "%u program%s came and went unseen", l->missed,
			l->missed == 1 ? "" : "s");
		comma = ", ";
	}
	if (l->unseen) {
		fprintf(out, "%s%u program%s without reports of failures", comma, l->unseen,
			l->unseen == 1 ? "" : "s");
		comma = ", ";
	}
	if (l->later) {
		fprintf(out,
			"%snot all failures of programs that were loaded after the recorder began "
			"are in it",
			comma);
		comma = ", ";
	}
	if (l->unknown && !*comma) {
		fputs("a source may have missed some", out);
		comma = ", ";
	}
	if (!l->blind)
		return;
	maplocks_types(l->blind, types, sizeof(types));
	fprintf(out, "%snot all failed locks inside maps of these types are seen: %s", comma,
		types);
}

void losses_text(const struct losses *l, char buf[LOSSES_TEXT])
{
	FILE *out = fmemopen(buf, LOSSES_TEXT, "w");

	buf[0] = 0;
	if (!out)
		return;
	if (!losses_possible(l))
		fprintf(out, "%llu", l->lost);
	else if (l->lost)
		fprintf(out, "at least %llu", l->lost);
	else
		fputs("unknown", out);
	if (losses_possible(l)) {
		fputs(" (", out);
		put_reasons(out, l);
		fputs(")", out);
	}
	fclose(out);
}
