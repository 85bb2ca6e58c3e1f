# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# X.bpf.c are programs, X.c the C that drives them, X.py the script that measures.
BENCH_BPF = $(O)/selftests/kernel/bench/overhead.bpf.o
BENCH_NAMES = convoy deadlines flows irqs_off latency maps mixes nested storm
BENCH_DRIVERS = $(BENCH_NAMES:%=$(O)/selftests/kernel/bench/%)
BENCH_SHARED = $(patsubst %,$(O)/selftests/kernel/bench/%.o,attempts pinned streams) \
	$(O)/lab/threads/lib/histogram.o
BENCH_OBJS = $(BENCH_DRIVERS:=.o) $(BENCH_SHARED)

selftests: $(BENCH_BPF) $(BENCH_DRIVERS)

$(BENCH_OBJS): | $(BENCH_DRIVERS:=.skel.h)

$(BENCH_DRIVERS): %: %.o $(BENCH_SHARED) $(O)/user/kernel/progstream.o
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: bench
bench: build ## what tracing costs: off and on interleaved, ratios against their limits
	$(Q)selftests/kernel/bench/overhead.py

.PHONY: bench-latency
bench-latency: build ## guests: what AA and ABBA cost a program, stock 7.x beside the patched 6.12
	$(Q)selftests/kernel/bench/latency.py $(BENCH_ARGS)

.PHONY: bench-cycles
bench-cycles: build ## guests: what cycles of two and three cost, stock and patched
	$(Q)selftests/kernel/bench/cycles.py $(BENCH_ARGS)

.PHONY: bench-convoy
bench-convoy: build ## guests: throughput of one lock that all want, stock and patched
	$(Q)selftests/kernel/bench/convoy.py $(BENCH_ARGS)

.PHONY: bench-flows
bench-flows: build ## guests: a program that counts packets under a lock per flow, stock and patched
	$(Q)selftests/kernel/bench/flows.py $(BENCH_ARGS)

.PHONY: bench-storm
bench-storm: build ## guests: what a deadlock costs those who are not in it, stock and patched
	$(Q)selftests/kernel/bench/storm.py $(BENCH_ARGS)

.PHONY: bench-waits
bench-waits: build ## guests: time limits of waiters, and how long interrupts are off
	$(Q)selftests/kernel/bench/waits.py $(BENCH_ARGS)

.PHONY: bench-maps
bench-maps: build ## guests: throughput of hash map updates, 6.12 with and without the series
	$(Q)selftests/kernel/bench/maps.py $(BENCH_ARGS)

.PHONY: bench-nested
bench-nested: build ## guests: nested map operations that hang 6.12, with and without the series
	$(Q)selftests/kernel/bench/nested.py $(BENCH_ARGS)

.PHONY: bench-watchers
bench-watchers: build ## guests: what updates of maps cost while rqspin watches
	$(Q)selftests/kernel/bench/watchers.py $(BENCH_ARGS)

.PHONY: bench-bursts
bench-bursts: build ## here and in guests: failures that the tracer takes without loss, and its cost
	$(Q)selftests/kernel/bench/bursts.py $(BENCH_ARGS)

-include $(BENCH_BPF:.o=.d) $(BENCH_OBJS:.o=.d) $(BENCH_DRIVERS:=.bpf.d)
.SECONDARY: $(BENCH_DRIVERS:=.bpf.o)
