# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
KERNEL ?= debian-7
VM_CPU ?= queue

.PHONY: vmtest
vmtest: build ## run the guest suites on KERNEL (VM_CPU=queue or tas)
	$(Q)scripts/run-tests.sh --guest $(KERNEL) --cpu $(VM_CPU)

.PHONY: vm
vm: build ## a shell in a guest that boots KERNEL
	$(Q)selftests/vm/run.sh --kernel $(KERNEL) --cpu $(VM_CPU) --shell
