USER_OBJS = $(patsubst %.c,$(O)/%.o,$(wildcard user/*.c))

.PHONY: user
user: $(O)/rqspin ## build the rqspin command

$(USER_OBJS): | $(TOOL_BPF)
$(O)/user/samples.o: ALL_CFLAGS += -DRQSPIN_PROGS='"$(PREFIX)/lib/rqspin/progs"'

$(O)/rqspin: $(USER_OBJS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lm

-include $(USER_OBJS:.o=.d)
