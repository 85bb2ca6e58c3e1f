/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The baseline: a file with the identities of known findings. Line numbers are not part of them. */
#ifndef RQSPIN_CHECK_BASELINE_H
#define RQSPIN_CHECK_BASELINE_H

#include "check/findings.h"

/* Gives each finding its identity. */
void baseline_identify(struct findings *f);

/**
 * baseline_match() - mark the findings that a file has as known
 * @path: what baseline_write() wrote
 * @f: findings with their identities; each entry of the file marks one of them
 * @gone: how many entries of the file match no finding
 *
 * Return: 0 or -errno, after printing why
 */
int baseline_match(const char *path, struct findings *f, size_t *gone);

/* Write all findings to the file and mark them as known. 0 or -errno, after printing why. */
int baseline_write(const char *path, struct findings *f);

#endif
