/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MC_WORDS_H
#define MC_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Write the changes of the lock word in @count executions to @file. */
bool mc_words_open(const char *file, uint32_t count);

#endif /* MC_WORDS_H */
