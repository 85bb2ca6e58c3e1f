# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
BENCH_BPF = $(O)/selftests/bench/overhead.bpf.o

selftests: $(BENCH_BPF)

.PHONY: bench
bench: build ## what tracing costs: off and on interleaved, ratios against their limits
	$(Q)selftests/bench/overhead.py

-include $(BENCH_BPF:.o=.d)
