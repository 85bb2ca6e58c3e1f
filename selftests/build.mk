# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# progs/X.bpf.c: programs; prog_tests/X.c: the C that drives them, through X's skeleton.
TEST_PROGS = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard selftests/kernel/progs/*.bpf.c))
TEST_OBJS = $(patsubst %.c,$(O)/%.o,$(wildcard \
	selftests/kernel/runner/*.c selftests/kernel/prog_tests/*.c))

.PHONY: selftests
selftests: $(O)/selftests/test_rqspin $(O)/selftests/kernel/runner_self/test_runner
selftests: stale $(TEST_PROGS) ## build the kernel-facing tests

# The runner takes every object there is: those whose source is gone must go too. What is made of a
# table goes with it, what is made of recorded events stays.
.PHONY: stale
stale:
	$(Q)find $(O)/bpf $(O)/selftests -path '*/check/corpus' -prune -o -path '*/cli/replay' -prune -o \
		-name '*.bpf.o' -print 2>/dev/null | while read -r o; do \
		src=$${o#$(O)/}; src=$${src%.o}.c; base=$${o%.bpf.o}; \
		[ -e "$$src" ] || rm -f "$$o" "$$base.bpf.d" "$$base.skel.h" "$$base.bpf.skel.h"; \
	done

# A skeleton is made when some C wants it; -MMD keeps it current afterwards.
$(TEST_OBJS): | $(TEST_PROGS:.bpf.o=.skel.h)
$(TEST_OBJS): ALL_CFLAGS += -Iselftests

$(O)/selftests/test_rqspin: $(TEST_OBJS) $(O)/user/kernel/progstream.o $(O)/user/kernel/nestfree.o
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBBPF_LIBS) -lpthread

-include $(TEST_OBJS:.o=.d) $(TEST_PROGS:.o=.d)

# The same runner with tests that must fail: runner_self/run.sh looks at its verdicts.
SELF_OBJS = $(filter $(O)/selftests/kernel/runner/%.o,$(TEST_OBJS)) \
	$(O)/selftests/kernel/runner_self/cases.o
SELF_PROGS = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard selftests/kernel/runner_self/progs/*.bpf.c))
$(SELF_OBJS): ALL_CFLAGS += -Iselftests

$(O)/selftests/kernel/runner_self/test_runner: $(SELF_OBJS) $(SELF_PROGS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $(SELF_OBJS) $(LIBBPF_LIBS) -lpthread

-include $(SELF_OBJS:.o=.d) $(SELF_PROGS:.o=.d)
