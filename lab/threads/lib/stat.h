/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_STAT_H
#define LAB_STAT_H

#include <stddef.h>

/* A growing list of numbers. */
struct lab_samples {
	double *v;
	size_t n, room;
};

struct lab_median {
	double mid, lo, hi; /* median and its 95 % interval, by order statistics */
};

void lab_add(struct lab_samples *s, double x);
void lab_free(struct lab_samples *s);
/* @p: 0..1; sorts. NaN for an empty list. */
double lab_quantile(struct lab_samples *s, double p);
struct lab_median lab_median(struct lab_samples *s);

#endif /* LAB_STAT_H */
