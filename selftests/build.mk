.PHONY: selftests
selftests: ## build the kernel-facing tests
