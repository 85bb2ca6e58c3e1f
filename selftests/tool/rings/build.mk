# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs with rings of other sizes, of selftests/tool/cli/test_bursts.py and test_foreign_ring.py.
RINGS_PROGS = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard selftests/tool/rings/*.bpf.c))

selftests: $(RINGS_PROGS)

-include $(RINGS_PROGS:.o=.d)
