# The patched kernels. None of this belongs to `make build`. SERIES: a folder below kernel-patches/.
CONFIG ?= lean
SERIES ?= 6.12
KP = $(Q)SERIES=$(SERIES) kernel-patches

.PHONY: kernel-tree
kernel-tree: ## unpack Linux, apply kernel-patches/SERIES (6.12, 7.x/fixes, ...) in build/linux-*
	$(Q)SERIES=$(SERIES) scripts/setup.sh --build --tree
	$(KP)/tree.sh

.PHONY: kernel-patches
kernel-patches: ## write the series anew from the commits in build/linux-* (SERIES=...)
	$(KP)/regen.sh

.PHONY: kernel
kernel: ## build the patched kernel: CONFIG=lean (or lockdep, kasan, arm64, ...), SERIES=...
	$(Q)SERIES=$(SERIES) scripts/setup.sh --build --kernel
	$(KP)/tree.sh
	$(KP)/build.sh $(CONFIG)

.PHONY: kernel-patches-verify
kernel-patches-verify: ## each patch applies, compiles, passes checkpatch, sparse, W=1, kernel-doc
	$(Q)SERIES=$(SERIES) scripts/setup.sh --build --kernel
	$(KP)/verify.sh

.PHONY: kernel-mails
kernel-mails: ## mails of a series in build/mails, from and signed off by you (git user.email)
	$(KP)/mail.sh build/mails
