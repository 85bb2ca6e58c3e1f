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
