// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stat.h"

void lab_add(struct lab_samples *s, double x)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 256;
		s->v = realloc(s->v, s->room * sizeof(*s->v));
		if (!s->v) {
			perror("lab: samples");
			exit(1);
		}
	}
	s->v[s->n++] = x;
}

void lab_free(struct lab_samples *s)
{
	free(s->v);
	*s = (struct lab_samples){ 0 };
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double sample_at(struct lab_samples *s, double rank)
{
	size_t i = rank <= 0 ? 0 : rank;

	return s->v[i >= s->n ? s->n - 1 : i];
}

double lab_quantile(struct lab_samples *s, double p)
{
	if (!s->n)
		return NAN;
	qsort(s->v, s->n, sizeof(*s->v), compare_doubles);
	return sample_at(s, p * s->n);
}

struct lab_median lab_median(struct lab_samples *s)
{
	double half = 0.98 * sqrt(s->n);
	struct lab_median m = { NAN, NAN, NAN };

	if (!s->n)
		return m;
	m.mid = lab_quantile(s, 0.5);
	m.lo = sample_at(s, floor(s->n / 2.0 - half));
	m.hi = sample_at(s, ceil(s->n / 2.0 + half));
	return m;
}
