# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh compiles the programs of ok/ with other compilers, too; this loads and runs them.
HEADERS_OK = $(patsubst %.bpf.c,$(O)/%.bpf.o,$(wildcard selftests/tool/headers/ok/*.bpf.c))
HEADERS_OBJS = $(patsubst %.c,$(O)/%.o,$(wildcard selftests/tool/headers/*.c)) \
	$(addprefix $(O)/selftests/tool/fallback/,drive.o tap.o) \
	$(addprefix $(O)/user/,kernel/heldtab.o kernel/kernelbtf.o kernel/runqueues.o \
		base/clock.o base/log.o base/escape.o)

selftests: $(O)/selftests/tool/headers/drive $(HEADERS_OK)

$(O)/selftests/tool/headers/drive: $(HEADERS_OBJS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(HEADERS_OBJS:.o=.d) $(HEADERS_OK:.o=.d)
