# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
STRESS_BPF = $(O)/selftests/kernel/stress/stress.bpf.skel.h
STRESS = $(O)/selftests/kernel/stress/stress

selftests: $(STRESS)

$(O)/selftests/kernel/stress/stress.bpf.skel.h: $(O)/selftests/kernel/stress/stress.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name stress_bpf >$@

$(O)/selftests/kernel/stress/stress.o: $(STRESS_BPF)

$(STRESS): $(O)/selftests/kernel/stress/stress.o $(O)/selftests/kernel/stress/capacity.o
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: stress
stress: build ## ten minutes of nested map updates while tracing (SECONDS=600)
	$(Q)selftests/kernel/stress/run.sh $(or $(SECONDS),600)

-include $(addprefix $(O)/selftests/kernel/stress/,stress.d capacity.d stress.bpf.d)
