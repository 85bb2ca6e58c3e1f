// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "check/findings.h"

const struct finding_kind finding_kinds[] = {
	{ "cycle", "Locks are taken in a circle" },
	{ "aa", "A lock is taken that is held already" },
	{ "retry", "A lock is tried again at once after a failure" },
	{ "interrupt", "A program that interrupts the holder takes the same lock" },
	{ "map-hang", "A program can hang a CPU at a plain lock inside a map" },
	{ "map-fails", "A map operation fails on top of another one" },
	{ "refused", "The verifier refuses the program" },
	{ "undecided", "Only the running program knows whether two locks are one" },
	{ "ignored", "A failure that nobody hears of" },
	{ "not-loaded", "A program needs something that is missing here" },
	{ "unreadable", "A program's instructions are not shown by the kernel" },
	{ "leak", "Objects in a list or tree are never freed" },
	{ "assumed", "A program was looked at under an assumption" },
	{ "incomplete", "Not everything was looked at" },
	{ 0 },
};

const char *finding_about(const char *kind)
{
	for (size_t i = 0; finding_kinds[i].kind; i++)
		if (!strcmp(finding_kinds[i].kind, kind))
			return finding_kinds[i].what;
	return kind;
}

/* Make a path below the current folder relative to it, as the user would write it. */
static char *short_path(const char *file)
{
	char cwd[4096];
	size_t len;

	if (!getcwd(cwd, sizeof(cwd)))
		return strdup(file);
	len = strlen(cwd);
	if (len > 1 && !strncmp(file, cwd, len) && file[len] == '/')
		file += len + 1;
	return strdup(file);
}

static char *text_copy(const char *s)
{
	return s ? strdup(s) : NULL;
}

static void place_set(struct place *p, const struct check_prog *prog, __u32 pc)
{
	struct check_line line;

	if (!prog)
		return;
	check_line(prog, pc, &line);
	p->file = line.file ? short_path(line.file) : NULL;
	p->text = text_copy(line.text);
	p->line = line.line;
	p->prog = text_copy(prog->name);
	p->object = text_copy(prog->object);
	p->prog_id = prog->object ? 0 : prog->id;
}

static void place_free(struct place *p)
{
	free(p->file);
	free(p->prog);
	free(p->object);
	free(p->text);
}

static char *text_format(struct findings *f, const char *fmt, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0) {
		f->nomem = true;
		return NULL;
	}
	return text;
}

struct finding *finding_add(struct findings *f, enum severity severity, const char *kind,
			    const struct check_prog *prog, __u32 pc, const char *fmt, ...)
{
	struct finding one = { .kind = kind, .severity = severity };
	va_list args;

	va_start(args, fmt);
	one.message = text_format(f, fmt, args);
	va_end(args);
	if (!one.message)
		return NULL;
	place_set(&one.at, prog, pc);
	if (!grow_append((void **)&f->all, &f->nr, &one, sizeof(one)))
		return &f->all[f->nr - 1];
	place_free(&one.at);
	free(one.message);
	f->nomem = true;
	return NULL;
}

void finding_stage(struct findings *f, struct finding *finding, const struct check_prog *prog,
		   __u32 pc, const char *fmt, ...)
{
	struct stage stage = {};
	va_list args;

	if (!finding)
		return;
	va_start(args, fmt);
	stage.message = text_format(f, fmt, args);
	va_end(args);
	if (!stage.message)
		return;
	place_set(&stage.at, prog, pc);
	if (!grow_append((void **)&finding->stages, &finding->nr_stages, &stage, sizeof(stage)))
		return;
	place_free(&stage.at);
	free(stage.message);
	f->nomem = true;
}

static void finding_free(struct finding *one)
{
	for (size_t i = 0; i < one->nr_stages; i++) {
		place_free(&one->stages[i].at);
		free(one->stages[i].message);
	}
	place_free(&one->at);
	free(one->stages);
	free(one->message);
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++)
		finding_free(&f->all[i]);
	free(f->all);
	*f = (struct findings){};
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool finding_alike(const struct finding *a, const struct finding *b)
{
	return !strcmp(a->kind, b->kind) && a->severity == b->severity &&
	       a->at.line == b->at.line && same_text(a->at.file, b->at.file) &&
	       same_text(a->at.object, b->at.object) && same_text(a->message, b->message);
}

void findings_unique(struct findings *f)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++) {
		size_t j = 0;

		while (j < nr && !finding_alike(&f->all[j], &f->all[i]))
			j++;
		if (j < nr)
			finding_free(&f->all[i]);
		else
			f->all[nr++] = f->all[i];
	}
	f->nr = nr;
}

size_t findings_count(const struct findings *f, bool notes)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++)
		nr += !f->all[i].known && (f->all[i].severity == FINDING_NOTE) == notes;
	return nr;
}

size_t findings_known(const struct findings *f)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++)
		nr += f->all[i].known;
	return nr;
}
