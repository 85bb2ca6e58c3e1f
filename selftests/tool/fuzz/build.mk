# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# NAME.c is a fuzzer; corpus/NAME has what it begins with, and what once broke something.
FUZZERS = event report lines object words
FUZZ_SECONDS ?= 60

.PHONY: fuzz
fuzz: ## fuzz records, streams, events, objects, command lines: FUZZ_SECONDS=60 each
	$(Q)scripts/setup.sh --fuzz
	$(Q)$(MAKE) --no-print-directory FUZZ=1 fuzzers
	$(Q)selftests/tool/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZERS)

.PHONY: fuzzers
fuzzers: $(FUZZERS:%=$(O)/selftests/tool/fuzz/%)

FUZZ_OBJS = $(FUZZERS:%=$(O)/selftests/tool/fuzz/%.o)
$(FUZZ_OBJS): | $(TOOL_BPF)
$(FUZZERS:%=$(O)/selftests/tool/fuzz/%): %: %.o $(filter-out $(O)/user/cmd/main.o,$(USER_OBJS))
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS) -lm -lz
-include $(FUZZ_OBJS:.o=.d)
