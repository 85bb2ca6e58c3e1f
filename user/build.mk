# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
USER_SRCS = $(filter-out user/tests/%,$(wildcard user/*/*.c user/*/*/*.c))
USER_OBJS = $(USER_SRCS:%.c=$(O)/%.o)
UNIT_OBJS = $(patsubst %.c,$(O)/%.o,$(wildcard user/tests/*.c))

.PHONY: user
user: $(O)/rqspin ## build the rqspin command

$(USER_OBJS) $(UNIT_OBJS): | $(TOOL_BPF)
$(O)/user/run/samples.o: $(O)/user/run/samples.inc

$(O)/user/run/samples.inc: bpf/progs/expected.tsv user/run/gen-samples.awk
	@mkdir -p $(@D)
	$(Q)awk -f user/run/gen-samples.awk $< >$@

$(O)/user/errors/table.o: $(O)/user/errors/errors.inc $(O)/user/errors/advice.inc

$(O)/user/errors/%.inc: user/errors/%.tsv user/errors/gen-table.awk
	@mkdir -p $(@D)
	$(Q)awk -f user/errors/gen-table.awk $< >$@

$(O)/user/output/page/page.o: $(addprefix $(O)/user/output/page/page.,html.inc css.inc js.inc)

$(O)/user/output/page/%.inc: user/output/page/% user/output/page/gen-text.awk
	@mkdir -p $(@D)
	$(Q)awk -f user/output/page/gen-text.awk $< >$@

# What a replay is compiled with goes with it.
REPLAY_TEXTS = $(addprefix $(O)/user/replay/,folder.mk.in.inc replay.bpf.h.inc cycle.bpf.h.inc \
	sample.bpf.h.inc sample.h.inc)
$(O)/user/replay/folder.o: $(REPLAY_TEXTS)

$(O)/user/replay/%.inc: user/replay/% user/output/page/gen-text.awk
	@mkdir -p $(@D)
	$(Q)awk -f user/output/page/gen-text.awk $< >$@

$(O)/user/replay/%.inc: bpf/progs/% user/output/page/gen-text.awk
	@mkdir -p $(@D)
	$(Q)awk -f user/output/page/gen-text.awk $< >$@

$(O)/rqspin: $(USER_OBJS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lm -lz

# What tests put something else in the place of: fault.c, test_check_walk.c, test_place.c,
# test_proginfo.c, test_wall_time.c.
UNIT_WRAPS = malloc calloc realloc calls_of flock bpf_prog_get_next_id clock_gettime

$(O)/user/tests/unit: $(UNIT_OBJS) $(filter-out $(O)/user/cmd/main.o,$(USER_OBJS))
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) $(UNIT_WRAPS:%=-Wl,--wrap=%) -o $@ $^ $(LDLIBS) -lm -lz -lcmocka

.PHONY: unit
unit: $(O)/user/tests/unit ## run the tests that need neither root nor a kernel
	$(Q)$<

-include $(USER_OBJS:.o=.d) $(UNIT_OBJS:.o=.d)
