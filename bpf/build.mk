# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The tool's own objects become skeletons; samples stay plain objects.
TOOL_BPF = $(patsubst %.bpf.c,$(O)/%.skel.h,$(wildcard bpf/*.bpf.c))
SAMPLES = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard bpf/progs/*.bpf.c))

.PHONY: bpf
bpf: $(TOOL_BPF) $(SAMPLES) ## compile BPF objects and samples

-include $(TOOL_BPF:.skel.h=.bpf.d) $(SAMPLES:.o=.d)
# Else make removes these as intermediate files, and the next make compiles them and their users
# again.
.SECONDARY: $(TOOL_BPF:.skel.h=.bpf.o)
