# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
STRESS_BPF = $(O)/selftests/stress/stress.bpf.skel.h
STRESS = $(O)/selftests/stress/stress

selftests: $(STRESS)

$(O)/selftests/stress/stress.bpf.skel.h: $(O)/selftests/stress/stress.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name stress_bpf >$@

$(O)/selftests/stress/stress.o: $(STRESS_BPF)

$(STRESS): $(O)/selftests/stress/stress.o $(O)/selftests/stress/capacity.o
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: stress
stress: build ## ten minutes of nested map updates while tracing (SECONDS=600)
	$(Q)selftests/stress/run.sh $(or $(SECONDS),600)

-include $(addprefix $(O)/selftests/stress/,stress.d capacity.d stress.bpf.d)
