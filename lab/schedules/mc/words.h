/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MC_WORDS_H
#define MC_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Write the changes of the lock word in @count executions to @file. */
bool mc_words_open(const char *file, uint32_t count);

/* Append the addresses of the accesses that were made to @file. */
bool mc_reached_write(const char *file);

#endif /* MC_WORDS_H */
