# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the tests of the command run beside the command itself.
FAILURES = $(addprefix $(O)/selftests/tool/cli/,map_failures storage_failures)

OWN_OBJECTS = $(patsubst %,$(O)/selftests/tool/cli/%.bpf.o,verdict flows sparse arena arena_words)

selftests: $(FAILURES) $(OWN_OBJECTS)

$(FAILURES:=.o): $(O)/selftests/tool/cli/%.o: | $(O)/selftests/kernel/progs/%.skel.h

$(FAILURES): %: %.o $(addprefix $(O)/,selftests/tool/cli/failures.o \
		selftests/kernel/bench/pinned.o user/kernel/maplocks.o)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(FAILURES:=.d) $(O)/selftests/tool/cli/failures.d $(OWN_OBJECTS:.o=.d)

# Replays of recorded failures, for guests, which have no compiler.
REPLAYS = $(patsubst selftests/tool/cli/replay/%.jsonl,\
	$(O)/selftests/tool/cli/replay/%/replay.bpf.o,\
	$(wildcard selftests/tool/cli/replay/*.jsonl))

selftests: $(REPLAYS)

# What a replay is made of, not the whole command, which is linked more often than that changes.
REPLAY_PARTS = $(wildcard user/replay/* include/rqspin/*) $(addprefix bpf/progs/,replay.bpf.h \
	cycle.bpf.h sample.bpf.h sample.h)

# A reader's make knows nothing of this one's flags and variables, O= above all.
$(REPLAYS): $(REPLAY_PARTS) | $(O)/rqspin $(LIBBPF_READY)
$(REPLAYS): $(O)/selftests/tool/cli/replay/%/replay.bpf.o: selftests/tool/cli/replay/%.jsonl
	@rm -rf $(@D)
	@mkdir -p $(dir $(@D))
	$(say) REPLAY $@
	$(Q)export CLANG=$(CLANG) RQSPIN_INCLUDE=$(CURDIR)/include \
		$(if $(LIBBPF_DIR),CPATH=$(abspath $(LIBBPF_DIR))/include) && \
		$(O)/rqspin replay $< -o $(@D) 2>$(@D).log && \
		MAKEFLAGS= make -s -C $(@D) || { cat $(@D).log >&2; false; }
