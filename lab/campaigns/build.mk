# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Campaigns: QUICK=1 measures less, DASK=WHERE runs cells on a cluster.
RQSPIN_LAB = .venv/bin/python lab/campaigns/rqspin-lab

.PHONY: evaluate
evaluate: kernel-tree ## every campaign, then the report: QUICK=1 takes minutes, all of it hours
	$(Q)$(RQSPIN_LAB) run $(if $(QUICK),--quick) $(if $(DASK),--dask $(DASK))
	$(Q)$(MAKE) -s report QUICK=$(QUICK)

.PHONY: report
report: ## pages with charts of what make evaluate has measured: build/evaluation/report
	$(Q)$(RQSPIN_LAB) report $(if $(QUICK),--quick)

# What campaigns boot; a kernel that is there stays as it is. Others are fetched when first wanted.
.PHONY: guest-kernel-6.12-rqspin-lean guest-kernel-6.12-rqspin-base
guest-kernel-6.12-rqspin-lean: KERNEL_ARGS = lean
guest-kernel-6.12-rqspin-base: KERNEL_ARGS = --commit base --as base lean
guest-kernel-6.12-rqspin-lean guest-kernel-6.12-rqspin-base: guest-kernel-%: | kernel-tree
	$(Q)test -f build/kernels/$*/VERSION || { scripts/setup.sh --build --kernel && \
		kernel-patches/build.sh $(KERNEL_ARGS); }
