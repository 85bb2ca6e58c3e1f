# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
RULES_OBJS = $(patsubst %.c,$(O)/%.o,$(wildcard selftests/kernel/rules/*.c))
RULES = $(O)/selftests/kernel/rules/rules

selftests: $(RULES)

$(RULES): $(RULES_OBJS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(RULES_OBJS:.o=.d)
