# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
.PHONY: regress
regress: kernel-tree ## the kernel's own BPF selftests: same verdicts with and without SERIES?
	$(Q)scripts/setup.sh --kernel
	$(Q)SERIES=$(SERIES) selftests/kernel/regress/build.sh all
	$(Q)SERIES=$(SERIES) selftests/kernel/regress/run.sh
