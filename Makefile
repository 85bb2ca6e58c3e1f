# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# rqspin: everything is built below build/; V=1 shows the commands.
# The text after "##" is what `make help` prints.

include scripts/build.mk

PIP_TOOLS = 7.6.2

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 26
	@echo "Variables: V=1 PREFIX=$(PREFIX) DESTDIR= VMLINUX_BTF=$(VMLINUX_BTF)" \
		"KERNEL=NAME (see selftests/vm/kernels.conf) LIBBPF=bundled|system LIBBPF_SRC="

.PHONY: setup
setup: ## install what is missing on this machine (asks nothing; says what it does)
	$(Q)scripts/setup.sh

# pip-tools is not among them: only this needs it.
.PHONY: requirements
requirements: ## write requirements.txt, with hashes, after a change of requirements.in
	$(Q)mkdir -p $(O)
	$(Q)python3 -m venv $(O)/pip-tools && $(O)/pip-tools/bin/pip -q install pip-tools==$(PIP_TOOLS)
	$(Q)$(O)/pip-tools/bin/pip-compile -q --generate-hashes --no-header --no-annotate \
		--strip-extras --no-emit-index-url --no-emit-find-links \
		--output-file $(O)/requirements.txt requirements.in
	$(Q)(sed -n 1p requirements.in; \
		echo '# Made of requirements.in by `make requirements`: by hash, each file that pip may take.'; \
		cat $(O)/requirements.txt) >requirements.txt

.PHONY: demo
demo: ## build the command and samples, show live deadlock events
	$(Q)scripts/setup.sh --build
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) bpf user
	$(Q)scripts/demo.sh

.PHONY: demo-guest
demo-guest: setup ## the demo in a guest: Debian's 7.x kernel, 4 CPUs, all that trace can show
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) bpf user
	$(Q)selftests/vm/run.sh --kernel debian-7 -- scripts/demo.sh

.PHONY: test
test: setup ## run the tests: this kernel, lab, model, guests of the patched kernel (see test-all)
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) build
	$(Q)scripts/run-tests.sh

.PHONY: test-all
test-all: setup ## the same, guests of other kernels and the large cases too
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) build
	$(Q)scripts/run-tests.sh --all

.PHONY: test-full
test-full: setup ## everything: also the whole tool on the patched 6.12, the slowest models
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) build
	$(Q)scripts/run-tests.sh --full

.PHONY: build
build: bpf user selftests ## compile everything into build/

include bpf/build.mk
include user/build.mk
include selftests/build.mk
include selftests/tool/headers/build.mk
include selftests/tool/check/build.mk
include selftests/tool/cli/build.mk
include selftests/tool/fuzz/build.mk
include selftests/kernel/head/build.mk
include selftests/tool/lines/build.mk
include selftests/tool/refuse/build.mk
include selftests/tool/rings/build.mk
include selftests/tool/schedulers/build.mk
include selftests/kernel/stress/build.mk
include selftests/kernel/bench/build.mk
include selftests/tool/fallback/build.mk
include selftests/kernel/rules/build.mk
include selftests/kernel/regress/build.mk
include selftests/vm/build.mk
include docs/build.mk
include packaging/build.mk
include kernel-patches/build.mk
include lab/build.mk
include lab/machines/build.mk
include lab/campaigns/build.mk
include lab/proofs/build.mk

.PHONY: lint
lint: ## clang-format, shellcheck, ruff
	$(Q)scripts/lint.sh

# Never past a mount: when fresh-root.sh was killed, its root still has this machine's /dev in it.
.PHONY: clean
clean: ## remove build/
	rm -rf --one-file-system build
