/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings that are known already: a file of their identities, which line numbers are no part of.
 */
#ifndef RQSPIN_CHECK_BASELINE_H
#define RQSPIN_CHECK_BASELINE_H

#include "check/findings.h"

/* Gives each finding its identity. */
void baseline_identify(struct findings *f);

/**
 * baseline_match() - mark the findings that a file has as known
 * @path: what baseline_write() wrote
 * @f: findings with their identities; one in the file is one here
 * @gone: how many of the file are found no longer
 *
 * Return: 0 or -errno, after it has said why
 */
int baseline_match(const char *path, struct findings *f, size_t *gone);

/* Writes all of them, which are known from then on. 0 or -errno, after it has said why. */
int baseline_write(const char *path, struct findings *f);

#endif
