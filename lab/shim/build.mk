# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What everybody needs who compiles the locks of the patched tree in user space (lab,
# lab/schedules/mc).
LAB_TREE ?= $(O)/linux-6.12
SHIM_DIR = lab/shim
SHIM_TREE = $(O)/lab/tree
UPSTREAM_TREE = $(O)/lab/upstream
SHIM_SRC = $(SHIM_DIR)/shim.c $(SHIM_TREE)/kernel/bpf/rqspinlock.c \
	$(SHIM_TREE)/kernel/bpf/rqspinlock_cycle.c $(SHIM_TREE)/kernel/locking/qspinlock.c
SHIM_OPTIONS = -std=gnu11 -g -O2 -Wall -D_GNU_SOURCE -fno-pie -fno-strict-aliasing \
	-fno-strict-overflow -Wno-pointer-sign -include $(SHIM_DIR)/shim.h
SHIM_CFLAGS = $(SHIM_OPTIONS) -I$(SHIM_TREE)/include
SHIM_LDFLAGS = -no-pie

# Always asked, since the tree may have moved; touches nothing that is right already.
.PHONY: shim-tree
shim-tree:
	$(Q)$(SHIM_DIR)/prepare.sh $(LAB_TREE) $(SHIM_TREE)
SHIM_SOURCES = bpf/rqspinlock.c bpf/rqspinlock_cycle.c locking/qspinlock.c
$(SHIM_SOURCES:%=$(SHIM_TREE)/kernel/%): | shim-tree ;
