/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the fuzzers have in common: their entry point, and output that goes nowhere. */
#ifndef SELFTESTS_FUZZ_H
#define SELFTESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stop, so that the fuzzer keeps the input: something that always holds did not. */
#define MUST(cond) ((cond) ? (void)0 : __builtin_trap())

#endif /* SELFTESTS_FUZZ_H */
