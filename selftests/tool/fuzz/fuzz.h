/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the fuzzers: the entry point, and output that is discarded. */
#ifndef SELFTESTS_FUZZ_H
#define SELFTESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stop if an invariant does not hold, so that the fuzzer keeps the input. */
#define MUST(cond) ((cond) ? (void)0 : __builtin_trap())

#endif /* SELFTESTS_FUZZ_H */
