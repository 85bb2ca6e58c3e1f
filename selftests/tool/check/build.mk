# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Objects for `rqspin check`: those of the table, and progs/ for what a table cannot say.
CHECK = $(O)/selftests/tool/check
CHECK_NAMES := $(shell awk -F '\t' '!/^\#/ { printf "%s_%02d_%s_%s\n", $$1, n++, $$2, $$3 }' \
	selftests/tool/check/corpus.tsv)
CHECK_TABLE = $(CHECK_NAMES:%=$(CHECK)/corpus/%.bpf.o)
CHECK_PROGS = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard selftests/tool/check/progs/*.bpf.c \
	selftests/tool/check/maps/*.bpf.c))

.PHONY: check-objects
check-objects: $(CHECK_TABLE) $(CHECK_PROGS)
selftests: check-objects

$(CHECK)/corpus/made: selftests/tool/check/corpus.tsv selftests/tool/check/corpus.py
	$(Q)rm -rf $(@D)
	$(Q)python3 selftests/tool/check/corpus.py $< $(@D)
	$(Q)touch $@

$(CHECK_TABLE:.bpf.o=.bpf.c): $(CHECK)/corpus/made ;
.SECONDARY: $(CHECK_TABLE:.bpf.o=.bpf.c)

$(CHECK_TABLE): $(CHECK)/corpus/%.bpf.o: $(CHECK)/corpus/%.bpf.c selftests/tool/check/check.bpf.h \
		$(LIBBPF_READY)
	$(say) BPF $@
	$(Q)$(CLANG) $(BPF_CFLAGS) -Iselftests/tool/check -c $< -o $@

$(CHECK_PROGS): BPF_CFLAGS += -Iselftests/tool/check

-include $(CHECK_PROGS:.o=.d)

# Other answers than the known ones make it fail; SEED and PROGRAMS say which are made.
SEED ?= 1
PROGRAMS ?= 2000
.PHONY: check-generated
check-generated: user $(O)/vmlinux.h ## rqspin check on 2000 generated programs with known answers
	$(Q)python3 selftests/tool/check/generated.py --run --seed $(SEED) \
		--programs $(PROGRAMS) --keep $(O)/selftests/tool/check/generated

# foreign.py says why if there are none to be had, and the tests are skipped.
.PHONY: check-foreign
check-foreign: build ## rqspin check on BPF objects out of packages: downloads 200 MB
	$(Q)python3 selftests/tool/check/foreign.py $(O)/foreign || [ $$? = 3 ]
	$(Q)selftests/tool/check/linux.sh $(O)/foreign || [ $$? = 3 ]
	$(Q).venv/bin/pytest -q -p no:cacheprovider -rs selftests/tool/cli/test_check_foreign.py
	$(Q)[ ! -e $(O)/foreign/costs.tsv ] || head -n 3 $(O)/foreign/costs.tsv
