# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The locks of the patched kernel tree in user space: figures, deadlocks, torture.
include lab/shim/build.mk

LAB = $(O)/lab
LAB_CFLAGS = $(SHIM_OPTIONS) -Wextra -Werror -Wno-unused-parameter -MMD -MP -Ilab/shim \
	$(shell pkg-config --cflags jansson 2>/dev/null)
LAB_LIBS = $(shell pkg-config --libs jansson 2>/dev/null) -lpthread -lm

# One set of objects for each way to compile the locks, named after its folder below build/lab.
LAB_VARIANTS = obj obj-counts obj-yield obj-escape obj-high obj-16k obj-tsan obj-noqueue obj-sites \
	obj-bench-high
LAB_FLAGS_obj =
LAB_FLAGS_obj-counts = -DSHIM_LOCK_EVENTS
LAB_FLAGS_obj-yield = -DSHIM_YIELD
# All CPUs but the first use the escape tag, whose high bits tell the even from the odd.
LAB_FLAGS_obj-escape = -DSHIM_YIELD -DRES_TAG_LIMIT=1U -DRES_TAG_CPUS=1U -DRES_TAG_HIGH=0x200U
# As on CPUs from 254 on: all but the first have high bits in their tags.
LAB_FLAGS_obj-high = -DSHIM_YIELD -DRES_TAG_CPUS=1U
# From 16384 CPUs on pending is a bit, and the tail has more of them.
LAB_FLAGS_obj-16k = -DSHIM_YIELD -DCONFIG_NR_CPUS=16384
LAB_FLAGS_obj-tsan = -DSHIM_YIELD -fsanitize=thread -Wno-tsan

LAB_FLAGS_obj-sites = -DSHIM_YIELD -DSHIM_IRQ_SITES

# What a lock and unlock cost on CPUs from 254 on.
LAB_FLAGS_obj-bench-high = -DRES_TAG_CPUS=1U

# As on an architecture without queued spin locks: compiled only.
LAB_FLAGS_obj-noqueue = -DSHIM_NO_QUEUE -Wall -Werror

# program: variant, source folder
LAB_PROGRAMS = bench bench-high detect regress stress stress-escape regress-escape stress-high \
	regress-high detect-high stress-16k detect-16k race-tsan path waits unit cell
LAB_OF_bench = obj threads/bench
LAB_OF_bench-high = obj-bench-high threads/bench
LAB_OF_detect = obj tests/detect
LAB_OF_regress = obj tests/regress
LAB_OF_regress-escape = obj-escape tests/regress
LAB_OF_stress = obj-yield tests/stress
LAB_OF_stress-escape = obj-escape tests/stress
LAB_OF_stress-high = obj-high tests/stress
LAB_OF_regress-high = obj-high tests/regress
LAB_OF_detect-high = obj-high tests/detect
LAB_OF_stress-16k = obj-16k tests/stress
LAB_OF_detect-16k = obj-16k tests/detect
LAB_OF_race-tsan = obj-tsan tests/race
LAB_OF_path = obj tests/path
LAB_OF_waits = obj-sites tests/waits
LAB_OF_unit = obj-yield tests/unit
LAB_OF_cell = obj-counts threads/cell
LAB_LIBS_unit = -lcmocka

lab-sources = $(wildcard lab/shim/*.c lab/threads/lib/*.c lab/locks/*.c lab/$(1)/*.c)
lab-objects = $(patsubst lab/%.c,$(LAB)/$(1)/%.o,$(call lab-sources,$(2))) \
	$(addprefix $(LAB)/$(1)/,rqspinlock.o rqspinlock_cycle.o qspinlock.o) \
	$(if $(wildcard $(UPSTREAM_TREE)/kernel),$(LAB)/$(1)/locks/upstream-lock.o)

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
# Upstream's lock has its own headers (upstream.sh); without them its object is empty.
ifneq ($(wildcard $(UPSTREAM_TREE)/kernel),)
$(LAB)/$(1)/locks/upstream.o: lab/locks/upstream.c $(UPSTREAM_TREE)/VERSION | shim-tree
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(CC) $(LAB_CFLAGS) -include lab/shim/upstream.h -DLAB_UPSTREAM \
		-I$(UPSTREAM_TREE)/include $(LAB_FLAGS_$(1)) -c $$< -o $$@
$(LAB)/$(1)/locks/upstream-lock.o: $(UPSTREAM_TREE)/kernel/bpf/rqspinlock.c | shim-tree
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(CC) $(SHIM_OPTIONS) -include lab/shim/upstream.h -w -I$(UPSTREAM_TREE)/include \
		$(LAB_FLAGS_$(1)) -MMD -MP -c $$< -o $$@
endif
endef

define lab-program
$(LAB)/lab-$(1): $(call lab-objects,$(word 1,$(LAB_OF_$(1))),$(word 2,$(LAB_OF_$(1))))
	$$(say) LD $$@
	$$(Q)$$(CC) $(SHIM_LDFLAGS) $(LAB_FLAGS_$(word 1,$(LAB_OF_$(1)))) $$^ -o $$@ $(LAB_LIBS) \
		$(LAB_LIBS_$(1))
endef

$(foreach v,$(LAB_VARIANTS),$(eval $(call lab-variant,$(v))))
$(foreach p,$(LAB_PROGRAMS),$(eval $(call lab-program,$(p))))

# The locks to compare with under the scheduler of lab/schedules/mc, which asks before every access.
SCHED = $(LAB)/obj-sched
SCHED_CFLAGS = $(filter-out -I%,$(LAB_CFLAGS)) -DSHIM_EXTERN -include lab/schedules/mc/arch.h \
	-fno-stack-protector -fcf-protection=none -Wno-tsan -Ilab/shim -Ilab/schedules/mc \
	-I$(SHIM_TREE)/include -I$(SHIM_TREE)
SCHED_OWN = run client graph search state seen note main hooks
SCHED_LOCKS = nodes backoff ticket queued cna held unfair qspin pv_queued pv_hybrid
SCHED_PART = glue oracle ops claims cycles
SCHED_OBJS = $(SCHED_OWN:%=$(SCHED)/schedules/mc/%.o) $(SCHED_LOCKS:%=$(SCHED)/locks/%.o) \
	$(SCHED_PART:%=$(SCHED)/schedules/explore/%.o) $(addprefix $(SCHED)/,shim/shim.o qspinlock.o)
SCHED_HOOKED = $(SCHED)/locks/%.o $(patsubst %,$(SCHED)/schedules/explore/%.o,ops claims cycles)
$(SCHED_HOOKED) $(SCHED)/qspinlock.o: SCHED_CFLAGS += -fsanitize=thread

$(SCHED)/schedules/mc/%.o: lab/schedules/mc/%.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -g -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -fno-pie -MMD -MP \
		-fno-strict-aliasing -fno-stack-protector -fcf-protection=none -c $< -o $@
$(SCHED)/%.o: lab/%.c | shim-tree
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(SCHED_CFLAGS) -c $< -o $@
$(SCHED)/qspinlock.o: $(SHIM_TREE)/kernel/locking/qspinlock.c | shim-tree
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(SCHED_CFLAGS) -Wno-error -Wno-extra -c $< -o $@
$(LAB)/lab-sched: $(SCHED_OBJS)
	$(say) LD $@
	$(Q)$(CC) $(SHIM_LDFLAGS) $^ -o $@

# System calls that wait for the kernel's own locks: needs no tree.
SCALE_OBJS = $(patsubst lab/%.c,$(LAB)/%.o,$(wildcard lab/threads/scale/*.c))
$(LAB)/threads/scale/%.o: lab/threads/scale/%.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -g -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -MMD -MP \
		$(shell pkg-config --cflags jansson 2>/dev/null) -c $< -o $@
$(LAB)/lab-scale: $(SCALE_OBJS)
	$(say) LD $@
	$(Q)$(CC) $^ -o $@ $(LAB_LIBS)

-include $(wildcard $(LAB)/*/*.d $(LAB)/*/*/*.d $(LAB)/*/*/*/*.d)

.PHONY: lab-upstream
lab-upstream: ## fetch upstream's lock, and put it into the lab beside ours
	$(Q)lab/shim/upstream.sh $(UPSTREAM_TREE) $(UPSTREAM_SOURCE)
	$(Q)$(MAKE) --no-print-directory $(addprefix $(LAB)/lab-,bench detect cell)

LAB_SECONDS ?= 30
export LAB LAB_TREE

LAB_TESTS = $(filter-out bench bench-high cell waits,$(LAB_PROGRAMS))

.PHONY: lab
lab: $(addprefix $(LAB)/obj-noqueue/,rqspinlock.o rqspinlock_cycle.o)
lab: $(LAB)/lab-sched
lab: $(LAB_TESTS:%=$(LAB)/lab-%) ## the lock in user space: regressions, deadlocks, torture
	$(Q)lab/run.sh $(LAB_SECONDS)

.PHONY: lab-bench
lab-bench: $(LAB)/lab-bench-high
lab-bench: $(LAB)/lab-bench $(LAB)/lab-detect ## what the lock costs, how soon deadlocks are found
	$(Q)$(LAB)/lab-bench --json $(LAB)/bench.json
	$(Q)echo; echo "CPUs from 254 on:"
	$(Q)$(LAB)/lab-bench-high --part uncontended --json $(LAB)/bench-high.json
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
