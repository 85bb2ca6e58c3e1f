# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The libbpf of all parts. LIBBPF=bundled: the one that scripts/libbpf.conf pins, linked statically,
# its headers before the system's. LIBBPF=system: what pkg-config finds, as distributions want it.
LIBBPF ?= bundled
include scripts/libbpf.conf

ifeq ($(LIBBPF),bundled)
LIBBPF_DIR = $(O)/libbpf
LIBBPF_A = $(LIBBPF_DIR)/libbpf.a
LIBBPF_INCLUDE = -I$(LIBBPF_DIR)/include
LIBBPF_LIBS = $(LIBBPF_A) -lelf -lz
LIBBPF_DEFINES = -DRQSPIN_LIBBPF_BUNDLED='"$(LIBBPF_VERSION)"'
else ifeq ($(LIBBPF),system)
LIBBPF_LIBS = $(shell pkg-config --libs libbpf 2>/dev/null)
LIBBPF_INCLUDE = $(shell pkg-config --cflags libbpf 2>/dev/null)
else
$(error LIBBPF=$(LIBBPF): bundled or system)
endif

# What is compiled with its headers depends on this, so a change of LIBBPF compiles it anew.
LIBBPF_READY = $(O)/libbpf.$(LIBBPF)
$(LIBBPF_READY): $(LIBBPF_A)
	@mkdir -p $(@D)
	@rm -f $(O)/libbpf.bundled $(O)/libbpf.system
	@touch $@

# Its own Makefile compiles it, with our flags. ar is the compiler's, which may be a cross one.
ifneq ($(LIBBPF_A),)
$(LIBBPF_A): scripts/libbpf.conf scripts/libbpf.sh scripts/libbpf.mk
	$(say) LIBBPF $@
	$(Q)scripts/libbpf.sh
	$(Q)rm -rf $(LIBBPF_DIR)
	@mkdir -p $(LIBBPF_DIR)
	$(Q)$(MAKE) -s --no-print-directory -C .cache/libbpf-$(LIBBPF_VERSION)/src V=1 \
		CC="$(CC)" AR="$(shell $(CC) -print-prog-name=ar)" BUILD_STATIC_ONLY=1 \
		CFLAGS="$(CFLAGS) $(SANITIZERS)" LDFLAGS= OBJDIR=$(abspath $(LIBBPF_DIR)) \
		DESTDIR= INCLUDEDIR=$(abspath $(LIBBPF_DIR))/include \
		$(abspath $(LIBBPF_A)) install_headers
	$(Q)rm -rf $(LIBBPF_DIR)/staticobjs
endif
