// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
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
#include "user/samples.inc"
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

/* The value of NAME or NAME+NAME...; false if one of them is not known. */
static bool sum_terms(struct term *terms, size_t nr, const char *sum, size_t len, uint64_t *value)
{
	const char *end = sum + len;

	for (*value = 0;; sum++) {
		size_t one = strcspn(sum, "+>="), i = 0;

		while (i < nr && (strlen(terms[i].name) != one || strncmp(terms[i].name, sum, one)))
			i++;
		if (i == nr)
			return false;
		terms[i].named = true;
		*value += terms[i].value;
		sum += one;
		if (sum >= end)
			return true;
	}
}

static bool unreadable(char *why, size_t size)
{
	snprintf(why, size, "the sample's expectation cannot be read");
	return false;
}

bool outcome_check(const char *expect, const struct counts *c, uint64_t rounds, char *why,
		   size_t size)
{
	struct term terms[] = { { "ok", c->ok, true },
				{ "EDEADLK", c->edeadlk, false },
				{ "ETIMEDOUT", c->etimedout, false },
				{ "other", c->other, false } };
	const size_t nr = sizeof(terms) / sizeof(terms[0]);

	for (const char *w = expect; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, ">= ");
		bool least = w[len] == '>';
		const char *number = w + len + 1 + least;
		uint64_t want, got;
		char *end;

		if (!sum_terms(terms, nr, w, len, &got) || number[-1] != '=' ||
		    !isdigit((unsigned char)*number))
			return unreadable(why, size);
		want = strtoull(number, &end, 10) * rounds;
		if (*end && *end != ' ')
			return unreadable(why, size);
		if (least ? got < want : got != want) {
			snprintf(why, size, "expected %.*s%s%" PRIu64 ", got %" PRIu64, (int)len, w,
				 least ? ">=" : "=", want, got);
			return false;
		}
		w = end;
	}
	for (size_t i = 0; i < nr; i++) {
		if (terms[i].named || !terms[i].value)
			continue;
		snprintf(why, size, "expected %s=0, got %" PRIu64, terms[i].name, terms[i].value);
		return false;
	}
	return true;
}
