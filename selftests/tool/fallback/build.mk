# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
FALLBACK_SKEL = $(O)/selftests/tool/fallback/fallback.skel.h $(O)/selftests/tool/fallback/api.skel.h
FALLBACK_OBJS = $(patsubst %.c,$(O)/%.o,\
	$(filter-out %.bpf.c,$(wildcard selftests/tool/fallback/*.c)))
FALLBACK = $(O)/selftests/tool/fallback/fallback

selftests: $(FALLBACK)

$(FALLBACK_OBJS): | $(FALLBACK_SKEL)

$(FALLBACK): $(FALLBACK_OBJS)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(FALLBACK_OBJS:.o=.d) $(FALLBACK_SKEL:.skel.h=.bpf.d)
.SECONDARY: $(FALLBACK_SKEL:.skel.h=.bpf.o)
