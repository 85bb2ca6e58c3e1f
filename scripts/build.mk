# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tools, flags and the rules shared by all parts.
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# SANITIZE=1: user space with sanitizers (addresses, undefined behaviour), in its own folder.
ifeq ($(SANITIZE),1)
O ?= build/sanitize
SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
# FUZZ=1: for selftests/tool/fuzz, by the compiler that has libFuzzer.
ifeq ($(FUZZ),1)
O ?= build/fuzz
SANITIZERS = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
endif
O ?= build
# One name for the folder, however it is given: the dependency files contain names.
override O := $(patsubst $(CURDIR)/%,%,$(abspath $(O)))
PREFIX ?= /usr/local
DESTDIR ?=
VMLINUX_BTF ?= /sys/kernel/btf/vmlinux

ifeq ($(V),1)
Q =
say = @:
else
Q = @
say = @printf '  %-8s %s\n'
endif

find-tool = $(firstword $(foreach t,$(1),$(shell command -v $(t) 2>/dev/null)) $(firstword $(1)))
ifndef CLANG
CLANG := $(or $(shell scripts/find-clang.sh),$(shell scripts/find-clang.sh clang 18),clang)
endif
CC = $(if $(FUZZ),$(CLANG),gcc)
# Ubuntu's bpftool in PATH is a wrapper that serves only the kernel it was packaged with.
UBUNTU_BPFTOOL = $(lastword $(sort $(wildcard /usr/lib/linux-tools/*/bpftool)))
export BPFTOOL ?= $(call find-tool,$(UBUNTU_BPFTOOL) bpftool /usr/sbin/bpftool)

CFLAGS ?= -O2 -g
include scripts/libbpf.mk

PKGS = libelf jansson libmicrohttpd ncursesw
ALL_CFLAGS = $(CFLAGS) -std=gnu11 -Wall -Wextra -Werror -MMD -MP -D_GNU_SOURCE \
	-Iinclude -I$(O) -Ibpf -Iuser $(LIBBPF_INCLUDE) $(LIBBPF_DEFINES) \
	$(shell pkg-config --cflags $(PKGS) 2>/dev/null)
ALL_CFLAGS += $(SANITIZERS) $(if $(FUZZ),-Wno-error)
LDFLAGS += $(SANITIZERS)
LDLIBS = $(LIBBPF_LIBS) $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lpthread

BPF_ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
BPF_CFLAGS = -g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Wno-unused-parameter -Werror -MMD -MP \
	-ffile-prefix-map=$(CURDIR)/= -D__TARGET_ARCH_$(BPF_ARCH) \
	-Iinclude -I$(O) -Ibpf $(LIBBPF_INCLUDE) \
	-idirafter /usr/include/$(shell uname -m)-linux-gnu

$(O)/vmlinux.h: $(VMLINUX_BTF) scripts/gen-vmlinux-h.sh
	@mkdir -p $(@D)
	$(say) VMLINUX $@
	$(Q)scripts/gen-vmlinux-h.sh $< $@

# One rule for every BPF object: X.bpf.c next to its owner, X.bpf.o at the same place in build/.
$(O)/%.bpf.o: %.bpf.c $(O)/vmlinux.h $(LIBBPF_READY)
	@mkdir -p $(@D)
	$(say) BPF $@
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(O)/%.skel.h: $(O)/%.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$(notdir $*))_bpf >$@

$(O)/%.o: %.c $(LIBBPF_READY)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@
