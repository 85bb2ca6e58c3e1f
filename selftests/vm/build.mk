# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
KERNEL ?= debian-7
VM_CPU ?= queue

.PHONY: vmtest
vmtest: build ## run the guest suites on KERNEL (VM_CPU=queue, tas or hybrid)
	$(Q)scripts/run-tests.sh --guest $(KERNEL) --cpu $(VM_CPU)

.PHONY: vm
vm: build ## a shell in a guest that boots KERNEL
	$(Q)selftests/vm/run.sh --kernel $(KERNEL) --cpu $(VM_CPU) --shell

# `make build` for another architecture: in build/arm64, with the libraries of its guests' root.
ARM64_ROOT = $(CURDIR)/build/arm64-root
ARM64_LIB = $(ARM64_ROOT)/usr/lib/aarch64-linux-gnu

.PHONY: arm64
arm64: ## compile the command and the tests for guests of 6.12-rqspin-arm64
	$(Q)scripts/setup.sh --arm64
	$(Q)selftests/vm/arm64-root.sh
	$(Q)PKG_CONFIG_SYSROOT_DIR=$(ARM64_ROOT) \
		PKG_CONFIG_LIBDIR=$(ARM64_LIB)/pkgconfig:$(ARM64_ROOT)/usr/share/pkgconfig \
		$(MAKE) --no-print-directory O=build/arm64 BPF_ARCH=arm64 \
		CC="aarch64-linux-gnu-gcc --sysroot=$(ARM64_ROOT)" bpf user selftests
