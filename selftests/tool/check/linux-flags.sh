# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034 # for those who source it
# How Linux' own BPF programs are compiled here. clang 19 makes one memset of stores to neighbouring
# fields in an arena, without the cast.
linux_flags=(-g -O2 -target bpf -mcpu=v3 -std=gnu11 -fno-strict-aliasing -fno-builtin-memset -w
	-D__TARGET_ARCH_x86)
