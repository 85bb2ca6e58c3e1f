# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The simulator: needs no kernel tree, only jansson.
SIM = $(O)/lab/sim
SIM_SRCS = $(wildcard lab/sim/core/*.c lab/sim/locks/*.c lab/sim/run/*.c)
SIM_OBJS = $(SIM_SRCS:%.c=$(O)/%.o)
SIM_MAIN = $(O)/lab/sim/main.o
SIM_TESTS = $(patsubst %.c,$(O)/%.o,$(wildcard lab/sim/tests/*.c))
SIM_LIBS = $(shell pkg-config --libs jansson 2>/dev/null) -lm

$(SIM_OBJS) $(SIM_MAIN) $(SIM_TESTS): ALL_CFLAGS += -Ilab/sim

$(SIM)/rqspin-sim: $(SIM_OBJS) $(SIM_MAIN)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(SIM_LIBS)

$(SIM)/tests/unit: $(SIM_OBJS) $(SIM_TESTS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(SIM_LIBS) -lcmocka

.PHONY: sim
sim: $(SIM)/rqspin-sim ## build the simulator of locks on machines with up to 512 CPUs

.PHONY: sim-unit
sim-unit: $(SIM)/tests/unit
	$(Q)$<

-include $(SIM_OBJS:.o=.d) $(SIM_TESTS:.o=.d) $(SIM_MAIN:.o=.d)

.PHONY: sim-check
sim-check: $(SIM)/rqspin-sim ## calibrate the simulator, compare with published tables: 4 minutes
	$(Q).venv/bin/python lab/sim/calibrate/check.py
