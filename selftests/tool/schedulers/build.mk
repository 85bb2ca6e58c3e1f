# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For test_schedulers.py, which is skipped without them.
.PHONY: schedulers
schedulers: build ## Linux' own schedulers as commands, for tests: downloads 170 MB
	$(Q)selftests/tool/schedulers/build.sh $(O)/schedulers
