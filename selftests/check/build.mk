# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Objects for `rqspin check`: those of the table, and progs/ for what a table cannot say.
CHECK = $(O)/selftests/check
CHECK_NAMES := $(shell awk -F '\t' '!/^\#/ { printf "%s_%02d_%s_%s\n", $$1, n++, $$2, $$3 }' \
	selftests/check/corpus.tsv)
CHECK_TABLE = $(CHECK_NAMES:%=$(CHECK)/corpus/%.bpf.o)
CHECK_PROGS = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard selftests/check/progs/*.bpf.c))

selftests: $(CHECK_TABLE) $(CHECK_PROGS)

$(CHECK)/corpus/made: selftests/check/corpus.tsv selftests/check/corpus.py
	$(Q)rm -rf $(@D)
	$(Q)python3 selftests/check/corpus.py $< $(@D)
	$(Q)touch $@

$(CHECK_TABLE:.bpf.o=.bpf.c): $(CHECK)/corpus/made ;
.SECONDARY: $(CHECK_TABLE:.bpf.o=.bpf.c)

$(CHECK_TABLE): $(CHECK)/corpus/%.bpf.o: $(CHECK)/corpus/%.bpf.c selftests/check/check.bpf.h
	$(say) BPF $@
	$(Q)$(CLANG) $(BPF_CFLAGS) -Iselftests/check -c $< -o $@

$(CHECK_PROGS): BPF_CFLAGS += -Iselftests/check

-include $(CHECK_PROGS:.o=.d)
