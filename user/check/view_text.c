// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "base/escape.h"
#include "check/view_text.h"

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {
		[FINDING_ERROR] = "error", [FINDING_WARNING] = "warning", [FINDING_NOTE] = "note"
	};

	return names[severity];
}

/* Without a line: the object, else the program. */
static void put_place(const struct place *at)
{
	if (at->file)
		printf("%s:%u: ", escaped(at->file), at->line);
	else if (at->object)
		printf("%s: ", escaped(at->object));
	else if (at->prog)
		printf("program %s(%u): ", escaped(at->prog), at->prog_id);
	else
		printf("rqspin: ");
}

static void put_finding(const struct finding *f)
{
	put_place(&f->at);
	printf("%s: %s [%s]\n", severity_name(f->severity), escaped(f->message), f->kind);
	if (f->at.text)
		printf("    %s\n", escaped(f->at.text));
	for (size_t i = 0; i < f->nr_stages; i++) {
		put_place(&f->stages[i].at);
		printf("note:   %s\n", escaped(f->stages[i].message));
	}
	if (f->fix) {
		put_place(&f->at);
		printf("note:   fix: %s\n", f->fix);
	}
}

void check_print_text(const struct check_result *r)
{
	for (int severity = FINDING_ERROR; severity <= FINDING_NOTE; severity++)
		for (size_t i = 0; i < r->findings.nr; i++)
			if ((int)r->findings.all[i].severity == severity &&
			    !r->findings.all[i].known)
				put_finding(&r->findings.all[i]);
}
