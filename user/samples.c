// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "samples.h"

#define INSTALLED "/../lib/rqspin/progs" /* seen from the binary: any prefix */

const struct sample samples[] = {
	{ "aa",
	  "one program takes the same lock twice",
	  { "aa" },
	  .min_cpus = 1,
	  .rounds = 100,
	  .expect = "ok=0 EDEADLK=1" },
	{ "abba",
	  "two programs take two locks in opposite order",
	  { "abba_0", "abba_1" },
	  .min_cpus = 2,
	  .rounds = 100,
	  .expect = "EDEADLK>=1" },
};

const size_t nr_samples = sizeof(samples) / sizeof(samples[0]);

const struct sample *sample_find(const char *name)
{
	for (size_t i = 0; i < nr_samples; i++)
		if (!strcmp(samples[i].name, name))
			return &samples[i];
	return NULL;
}

unsigned int sample_nr_roles(const struct sample *s)
{
	unsigned int nr = 0;

	while (nr < SAMPLE_ROLES_MAX && s->roles[nr])
		nr++;
	return nr;
}

static char *object_in(const char *dir, const char *sub, const char *name)
{
	char *path;

	if (asprintf(&path, "%s%s/%s.bpf.o", dir, sub, name) < 0)
		return NULL;
	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

char *sample_object(const char *name)
{
	const char *dir = getenv("RQSPIN_PROGS_DIR");
	char exe[PATH_MAX];
	ssize_t len;

	/* A folder that was asked for is the only one looked at. */
	if (dir)
		return object_in(dir, "", name);
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len <= 0)
		return NULL;
	exe[len] = 0;
	dir = dirname(exe);
	return object_in(dir, "/bpf/progs", name) ?: object_in(dir, INSTALLED, name);
}

struct term {
	const char *name;
	uint64_t value;
	bool named;
};

static struct term *find_term(struct term *terms, size_t nr, const char *word, size_t len)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(terms[i].name) == len && !strncmp(terms[i].name, word, len))
			return &terms[i];
	return NULL;
}

static char *differs(const struct term *t, const char *op, uint64_t want)
{
	char *text;

	if (asprintf(&text, "expected %s%s%" PRIu64 ", got %" PRIu64, t->name, op, want, t->value) <
	    0)
		return NULL;
	return text;
}

char *outcome_check(const char *expect, const struct counts *c, uint64_t rounds)
{
	struct term terms[] = { { "ok", c->ok, true },
				{ "EDEADLK", c->edeadlk, false },
				{ "ETIMEDOUT", c->etimedout, false },
				{ "other", c->other, false } };
	const size_t nr = sizeof(terms) / sizeof(terms[0]);

	for (const char *w = expect; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, ">=");
		bool least = w[len] == '>';
		uint64_t want;
		struct term *t = find_term(terms, nr, w, len);
		char *end;

		want = strtoull(w + len + 1 + least, &end, 10) * rounds;
		if (!t || (*end && *end != ' '))
			return strdup("the sample's expectation cannot be read");
		t->named = true;
		if (least ? t->value < want : t->value != want)
			return differs(t, least ? ">=" : "=", want);
		w = end;
	}
	for (size_t i = 0; i < nr; i++)
		if (!terms[i].named && terms[i].value)
			return differs(&terms[i], "=", 0);
	return NULL;
}
