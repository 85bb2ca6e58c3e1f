# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
HEAD_BPF = $(O)/selftests/kernel/head/head.bpf.skel.h
HEAD = $(O)/selftests/kernel/head/head

selftests: $(HEAD)

$(HEAD_BPF): $(O)/selftests/kernel/head/head.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name head_bpf >$@

$(O)/selftests/kernel/head/head.o: $(HEAD_BPF)

$(HEAD): $(O)/selftests/kernel/head/head.o
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(addprefix $(O)/selftests/kernel/head/,head.d head.bpf.d)
