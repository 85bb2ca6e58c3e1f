# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The locks of the patched kernel tree in user space: figures, deadlocks, torture.
include lab/shim/shim.mk

LAB = $(O)/lab
LAB_CFLAGS = $(SHIM_CFLAGS) -Wextra -Wno-unused-parameter -MMD -MP -Ilab/shim -I$(SHIM_TREE) $(shell pkg-config --cflags jansson 2>/dev/null)
LAB_LIBS = $(shell pkg-config --libs jansson 2>/dev/null) -lpthread -lm

LAB_KERNEL_OBJ = $(addprefix $(LAB)/obj/,rqspinlock.o rqspinlock_cycle.o qspinlock.o)
LAB_COMMON_OBJ = $(patsubst lab/%.c,$(LAB)/obj/%.o,$(wildcard lab/shim/*.c lab/lib/*.c lab/locks/*.c)) $(LAB_KERNEL_OBJ)
lab-objs = $(patsubst lab/%.c,$(LAB)/obj/%.o,$(wildcard lab/$(1)/*.c))

$(LAB)/obj/%.o: $(SHIM_TREE)/kernel/bpf/%.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(SHIM_CFLAGS) -MMD -MP -c $< -o $@

$(LAB)/obj/%.o: $(SHIM_TREE)/kernel/locking/%.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(SHIM_CFLAGS) -MMD -MP -c $< -o $@

$(LAB)/obj/%.o: lab/%.c | shim-tree
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(LAB_CFLAGS) -c $< -o $@

LAB_PROGRAMS = bench detect stress
$(foreach p,$(LAB_PROGRAMS),$(eval $(LAB)/lab-$(p): $(call lab-objs,$(p)) $(LAB_COMMON_OBJ)))
$(foreach p,$(LAB_PROGRAMS),$(LAB)/lab-$(p)):
	$(say) LD $@
	$(Q)$(CC) $(SHIM_LDFLAGS) $^ -o $@ $(LAB_LIBS)

-include $(wildcard $(LAB)/obj/*.d $(LAB)/obj/*/*.d)
