USER_OBJS = $(patsubst %.c,$(O)/%.o,$(wildcard user/*.c))

.PHONY: user
user: $(O)/rqspin ## build the rqspin command

$(USER_OBJS): | $(TOOL_BPF)

$(O)/rqspin: $(USER_OBJS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(USER_OBJS:.o=.d)
