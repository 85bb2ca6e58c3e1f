// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/driver.h"
#include "run/outcome.h"
#include "run/plan.h"
#include "run/results.h"
#include "run/samples.h"

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

static bool outcome_unreadable(char *why, size_t size)
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
			return outcome_unreadable(why, size);
		want = strtoull(number, &end, 10) * rounds;
		if (*end && *end != ' ')
			return outcome_unreadable(why, size);
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

/* Every negative return value must be among the failures that the programs counted. */
static bool check_returns(const struct drive *d, const struct counts *sum, char *why, size_t size)
{
	uint64_t returned = 0;

	for (unsigned int i = 0; i < d->nr_roles; i++)
		returned += d->roles[i].ret.edeadlk + d->roles[i].ret.etimedout;
	if (returned <= counts_failed(sum))
		return true;
	snprintf(why, size, "%" PRIu64 " runs returned an error, but %" PRIu64 " were counted",
		 returned, counts_failed(sum));
	return false;
}

bool outcome_judge(const struct plan *p, const struct role_result *results, char *why, size_t size)
{
	const struct drive *d = &p->drive;
	struct counts sum = results_total(results, d->nr_roles);
	uint64_t rounds = d->rounds, least = 0, most = 0;

	for (unsigned int i = 0; !d->lockstep && i < d->nr_roles; i++) {
		rounds += d->roles[i].rounds;
		least += d->roles[i].cut;
		most += d->roles[i].cut_runs;
	}
	if (!check_returns(d, &sum, why, size))
		return false;
	/* A signal may cut a batch short, after an unknown number of runs: try each number. */
	for (uint64_t cut = least; cut < most; cut++)
		if (outcome_check(p->sample->expect, &sum, rounds + cut, why, size))
			return true;
	return outcome_check(p->sample->expect, &sum, rounds + most, why, size);
}
