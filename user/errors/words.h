/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Map types, operations and errors as people write them. */
#ifndef RQSPIN_ERRORS_WORDS_H
#define RQSPIN_ERRORS_WORDS_H

#include <stdbool.h>

#define ERROR_WORD 40

/*
 * Write the word of errors.tsv to @out. False: there is none, and *close points to a similar one,
 * which is in @out; or is NULL.
 */
bool error_type(const char *typed, char out[ERROR_WORD], const char **close);
bool error_op(const char *type, const char *typed, char out[ERROR_WORD], const char **close);
bool error_name(const char *typed, char out[ERROR_WORD], const char **close);

#endif
