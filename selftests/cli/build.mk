# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the tests of the command run beside the command itself.
MAP_FAILURES = $(O)/selftests/cli/map_failures

selftests: $(MAP_FAILURES)

$(MAP_FAILURES).o: | $(O)/selftests/progs/map_failures.skel.h

$(MAP_FAILURES): $(MAP_FAILURES).o $(O)/selftests/bench/pinned.o
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(MAP_FAILURES).d
