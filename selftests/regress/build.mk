# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
.PHONY: regress
regress: kernel-tree ## the kernel's own BPF selftests: same verdicts with and without the series?
	$(Q)scripts/setup.sh --kernel
	$(Q)kernel-patches/build.sh --commit base --as regress-base regress
	$(Q)kernel-patches/build.sh regress
	$(Q)selftests/regress/run.sh
