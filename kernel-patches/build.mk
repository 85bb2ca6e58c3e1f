# The patched kernel. None of this belongs to `make build`.
CONFIG ?= lean

.PHONY: kernel-tree
kernel-tree: ## unpack Linux 6.12 and apply kernel-patches/6.12 in build/linux-6.12
	$(Q)scripts/setup.sh --build --tree
	$(Q)kernel-patches/tree.sh

.PHONY: kernel-patches
kernel-patches: ## write the series anew from the commits in build/linux-6.12
	$(Q)kernel-patches/regen.sh

.PHONY: kernel
kernel: ## build the patched kernel: CONFIG=lean (or lockdep, kasan, arm64, ...)
	$(Q)scripts/setup.sh --build --kernel
	$(Q)kernel-patches/tree.sh
	$(Q)kernel-patches/build.sh $(CONFIG)

.PHONY: kernel-patches-verify
kernel-patches-verify: ## each patch applies, compiles, passes checkpatch, W=1, kernel-doc
	$(Q)scripts/setup.sh --build --kernel
	$(Q)kernel-patches/verify.sh
