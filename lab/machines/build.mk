# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The simulator: needs only jansson; with a patched kernel tree it has the locks in C, too.
SIM = $(O)/lab/machines
SIM_SRCS = $(wildcard lab/machines/core/*.c lab/machines/locks/*.c lab/machines/run/*.c)
SIM_OBJS = $(SIM_SRCS:%.c=$(O)/%.o) $(SIM_C_OBJS)
SIM_MAIN = $(O)/lab/machines/main.o
SIM_TEST_SRCS = $(filter-out $(if $(SIM_C),,%/c.c),$(wildcard lab/machines/tests/*.c))
SIM_TESTS = $(SIM_TEST_SRCS:%.c=$(O)/%.o)
# The locks' own C, where the patched tree and what lab/locks includes are there: without them the
# simulator has only its dialect.
SIM_C = $(and $(wildcard $(LAB_TREE)/kernel/bpf/rqspinlock.c), \
	$(wildcard /usr/include/ck_spinlock.h))
ifneq ($(SIM_C),)
SIM_SRCS += $(filter-out %/glue.c,$(wildcard lab/machines/c/*.c))
SIM_LOCKS = nodes backoff ticket queued cna held unfair qspin kernel
SIM_HOOKED = $(SIM_LOCKS:%=$(LAB)/obj-sim/locks/%.o) \
	$(addprefix $(LAB)/obj-sim/,rqspinlock.o rqspinlock_cycle.o qspinlock.o)
SIM_C_OBJS = $(SIM_HOOKED) $(addprefix $(LAB)/obj-sim/,machines/c/glue.o shim/shim.o)
SIM_C_CFLAGS = -DSHIM_EXTERN -include lab/machines/c/arch.h $(filter-out -I%,$(LAB_CFLAGS)) \
	-fno-stack-protector -fcf-protection=none -Wno-tsan -Ilab -Ilab/shim \
	-I$(SHIM_TREE)/include -I$(SHIM_TREE)
SIM_LDFLAGS = $(SHIM_LDFLAGS)
$(SIM_HOOKED): SIM_C_CFLAGS += -fsanitize=thread
$(LAB)/obj-sim/%.o: lab/%.c | shim-tree
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(SIM_C_CFLAGS) -c $< -o $@
$(LAB)/obj-sim/%.o: $(SHIM_TREE)/kernel/bpf/%.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(SIM_C_CFLAGS) -Wno-error -Wno-extra -c $< -o $@
$(LAB)/obj-sim/%.o: $(SHIM_TREE)/kernel/locking/%.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(SIM_C_CFLAGS) -Wno-error -Wno-extra -c $< -o $@
endif
SIM_LIBS = $(shell pkg-config --libs jansson 2>/dev/null) -lm

$(SIM_SRCS:%.c=$(O)/%.o) $(SIM_MAIN) $(SIM_TESTS): ALL_CFLAGS += -Ilab/machines

$(SIM)/rqspin-sim: $(SIM_OBJS) $(SIM_MAIN)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) $(SIM_LDFLAGS) -o $@ $^ $(SIM_LIBS)

$(SIM)/tests/unit: $(SIM_OBJS) $(SIM_TESTS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) $(SIM_LDFLAGS) -o $@ $^ $(SIM_LIBS) -lcmocka

.PHONY: sim
sim: $(SIM)/rqspin-sim ## build the simulator of locks on machines with up to 512 CPUs

.PHONY: sim-unit
sim-unit: $(SIM)/tests/unit
	$(Q)$<

-include $(SIM_OBJS:.o=.d) $(SIM_TESTS:.o=.d) $(SIM_MAIN:.o=.d)

.PHONY: sim-check
sim-check: $(SIM)/rqspin-sim ## calibrate the simulator, compare with published tables: 5 minutes
	$(Q).venv/bin/python lab/machines/calibrate/check.py
