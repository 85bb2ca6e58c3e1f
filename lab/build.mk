# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The locks of the patched kernel tree in user space: figures, deadlocks, torture.
include lab/shim/build.mk

LAB = $(O)/lab
LAB_CFLAGS = $(SHIM_OPTIONS) -Wextra -Werror -Wno-unused-parameter -MMD -MP -Ilab/shim \
	$(shell pkg-config --cflags jansson 2>/dev/null)
LAB_LIBS = $(shell pkg-config --libs jansson 2>/dev/null) -lpthread -lm

# One set of objects for each way to compile the locks, named after its folder below build/lab.
LAB_VARIANTS = obj obj-yield obj-escape obj-16k obj-tsan obj-noqueue obj-sites
LAB_FLAGS_obj =
LAB_FLAGS_obj-yield = -DSHIM_YIELD
LAB_FLAGS_obj-escape = -DSHIM_YIELD -DRES_TAG_CPUS=1
# From 16384 CPUs on pending is a bit, and the tail has more of them.
LAB_FLAGS_obj-16k = -DSHIM_YIELD -DCONFIG_NR_CPUS=16384
LAB_FLAGS_obj-tsan = -DSHIM_YIELD -fsanitize=thread -Wno-tsan

LAB_FLAGS_obj-sites = -DSHIM_YIELD -DSHIM_IRQ_SITES

# As on an architecture without queued spin locks: compiled only.
LAB_FLAGS_obj-noqueue = -DSHIM_NO_QUEUE -Wall -Werror

# program: variant, source folder
LAB_PROGRAMS = bench detect regress stress stress-escape regress-escape stress-16k detect-16k \
	race-tsan path waits
LAB_OF_bench = obj bench
LAB_OF_detect = obj detect
LAB_OF_regress = obj regress
LAB_OF_regress-escape = obj-escape regress
LAB_OF_stress = obj-yield stress
LAB_OF_stress-escape = obj-escape stress
LAB_OF_stress-16k = obj-16k stress
LAB_OF_detect-16k = obj-16k detect
LAB_OF_race-tsan = obj-tsan race
LAB_OF_path = obj path
LAB_OF_waits = obj-sites waits

lab-sources = $(wildcard lab/shim/*.c lab/lib/*.c lab/locks/*.c lab/$(1)/*.c)
lab-objects = $(patsubst lab/%.c,$(LAB)/$(1)/%.o,$(call lab-sources,$(2))) \
	$(addprefix $(LAB)/$(1)/,rqspinlock.o rqspinlock_cycle.o qspinlock.o)

define lab-variant
$(LAB)/$(1)/%.o: $(SHIM_TREE)/kernel/bpf/%.c
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(CC) $(SHIM_CFLAGS) $(LAB_FLAGS_$(1)) -MMD -MP -c $$< -o $$@
$(LAB)/$(1)/%.o: $(SHIM_TREE)/kernel/locking/%.c
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(CC) $(SHIM_CFLAGS) $(LAB_FLAGS_$(1)) -MMD -MP -c $$< -o $$@
$(LAB)/$(1)/%.o: lab/%.c | shim-tree
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(CC) $(LAB_CFLAGS) -I$(SHIM_TREE)/include -I$(SHIM_TREE) $(LAB_FLAGS_$(1)) -c $$< -o $$@
endef

define lab-program
$(LAB)/lab-$(1): $(call lab-objects,$(word 1,$(LAB_OF_$(1))),$(word 2,$(LAB_OF_$(1))))
	$$(say) LD $$@
	$$(Q)$$(CC) $(SHIM_LDFLAGS) $(LAB_FLAGS_$(word 1,$(LAB_OF_$(1)))) $$^ -o $$@ $(LAB_LIBS)
endef

$(foreach v,$(LAB_VARIANTS),$(eval $(call lab-variant,$(v))))
$(foreach p,$(LAB_PROGRAMS),$(eval $(call lab-program,$(p))))

-include $(wildcard $(LAB)/*/*.d $(LAB)/*/*/*.d)

LAB_SECONDS ?= 30
export LAB LAB_TREE

LAB_TESTS = $(filter-out bench waits,$(LAB_PROGRAMS))

.PHONY: lab
lab: $(addprefix $(LAB)/obj-noqueue/,rqspinlock.o rqspinlock_cycle.o)
lab: $(LAB_TESTS:%=$(LAB)/lab-%) ## the lock in user space: regressions, deadlocks, torture
	$(Q)lab/run.sh $(LAB_SECONDS)

.PHONY: lab-bench
lab-bench: $(LAB)/lab-bench $(LAB)/lab-detect ## what the lock costs, how soon deadlocks are found
	$(Q)$(LAB)/lab-bench --json $(LAB)/bench.json
	$(Q)$(LAB)/lab-detect --bounds --json $(LAB)/detect.json

ifneq ($(wildcard $(LAB_TREE)/kernel/bpf/rqspinlock.c),)
bench: lab-bench
endif

.PHONY: lab-waits
lab-waits: $(LAB)/lab-waits ## how long waiters wait, and how long interrupts are off
	$(Q)$(LAB)/lab-waits

.PHONY: lab-mutants
lab-mutants: $(LAB)/lab-stress $(LAB)/lab-detect
lab-mutants: $(LAB)/lab-regress ## break the lock on purpose: the lab must notice
	$(Q)CC="$(CC)" CFLAGS="$(SHIM_CFLAGS) -Ilab/shim -I$(SHIM_TREE) -DSHIM_YIELD" \
		LIBS="$(LAB_LIBS)" lab/mutants/run.sh $(MUTANTS)

.PHONY: soak
soak: $(LAB)/lab-stress $(LAB)/lab-stress-escape ## torture for SECONDS= (default an hour)
	$(Q)$(LAB)/lab-stress --real-time --seconds $$(($(or $(SECONDS),3600) / 2))
	$(Q)$(LAB)/lab-stress-escape --real-time --seconds $$(($(or $(SECONDS),3600) / 2))
