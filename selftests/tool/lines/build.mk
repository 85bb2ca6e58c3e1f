# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs of selftests/tool/cli/test_lines.py.
LINES_PROGS = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard selftests/tool/lines/*.bpf.c))

selftests: $(LINES_PROGS)

-include $(LINES_PROGS:.o=.d)
