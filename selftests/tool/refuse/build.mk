# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A library for LD_PRELOAD, of selftests/tool/cli/test_refused.py.
selftests: $(O)/selftests/tool/refuse/refuse.so

$(O)/selftests/tool/refuse/refuse.so: selftests/tool/refuse/refuse.c
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -O2 -Wall -Wextra -shared -fPIC -o $@ $< -ldl
