# progs/X.bpf.c: programs; prog_tests/X.c: the C that drives them, through X's skeleton.
TEST_PROGS = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard selftests/progs/*.bpf.c))
TEST_OBJS = $(patsubst %.c,$(O)/%.o,$(wildcard selftests/*.c selftests/prog_tests/*.c))

.PHONY: selftests
selftests: $(O)/selftests/test_rqspin $(TEST_PROGS) ## build the kernel-facing tests

# A skeleton is made when some C wants it; -MMD keeps it current afterwards.
$(TEST_OBJS): | $(TEST_PROGS:.bpf.o=.skel.h)
$(TEST_OBJS): ALL_CFLAGS += -Iselftests

$(O)/selftests/test_rqspin: $(TEST_OBJS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs libbpf) -lpthread

-include $(TEST_OBJS:.o=.d) $(TEST_PROGS:.o=.d)
