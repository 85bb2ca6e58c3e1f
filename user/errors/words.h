/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Map types, operations and errors as people write them. */
#ifndef RQSPIN_ERRORS_WORDS_H
#define RQSPIN_ERRORS_WORDS_H

#include <stdbool.h>

#define ERROR_WORD 40

/*
 * The word of errors.tsv into out; false: there is none, and if one is close *close points to it
 * (it lives in out).
 */
bool error_type(const char *typed, char out[ERROR_WORD], const char **close);
bool error_op(const char *type, const char *typed, char out[ERROR_WORD], const char **close);
bool error_name(const char *typed, char out[ERROR_WORD], const char **close);

#endif
