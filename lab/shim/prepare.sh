#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# prepare.sh TREE DEST: the files of a patched kernel tree that the lab compiles, linked below
# DEST, and a stub for every other header that they include.
set -euo pipefail

tree=$(realpath -m "$1") dest=$2
shim=$(realpath "$(dirname "$0")")

# What is compiled as it is. Nothing else of the tree can be reached.
files=(
	arch/x86/kernel/rqspinlock.c
	include/asm-generic/rqspinlock.h
	include/asm-generic/qspinlock.h
	include/asm-generic/qspinlock_types.h
	include/asm-generic/mcs_spinlock.h
	kernel/bpf/rqspinlock.c
	kernel/bpf/rqspinlock.h
	kernel/bpf/rqspinlock_cycle.c
	kernel/bpf/rqspinlock_hybrid.h
	kernel/locking/lock_events.h
	kernel/locking/lock_events_list.h
	kernel/locking/mcs_spinlock.h
	kernel/locking/qspinlock.c
	kernel/locking/qspinlock.h
	kernel/locking/qspinlock_paravirt.h
	kernel/locking/qspinlock_stat.h
)
stubs=(
	asm/barrier asm/byteorder asm/cpufeature asm/paravirt asm/processor
	linux/atomic linux/bug linux/build_bug linux/cache linux/compiler linux/cpumask linux/export
	linux/fs
	linux/hardirq linux/init linux/instruction_pointer linux/irqflags linux/jump_label
	linux/kprobes linux/kvm_para linux/math linux/minmax linux/mutex
	linux/percpu linux/percpu-defs linux/preempt linux/prefetch linux/printk linux/processor
	linux/sched
	linux/sched/clock linux/smp linux/string linux/tick linux/time64 linux/timekeeping linux/tracepoint
	linux/types linux/uaccess
	trace/events/lock trace/events/rqspinlock
)

# C library headers reach linux/types.h too.
stub() {
	mkdir -p "$dest/include/$(dirname "$1")"
	{
		[ "$1" != linux/types ] || echo '#include_next <linux/types.h>'
		printf '#include "%s"\n' "$2"
	} >"$dest/include/$1.h.new"
	cmp -s "$dest/include/$1.h.new" "$dest/include/$1.h" ||
		cp "$dest/include/$1.h.new" "$dest/include/$1.h"
	rm "$dest/include/$1.h.new"
}

for f in "${files[@]}"; do
	if [ ! -e "$tree/$f" ]; then
		echo "prepare: $tree has no $f: run 'make kernel-tree', or set LAB_TREE to a tree" \
			"with the series applied" >&2
		exit 3
	fi
	mkdir -p "$dest/$(dirname "$f")"
	ln -sfn "$tree/$f" "$dest/$f"
done
for f in "${stubs[@]}"; do
	stub "$f" "$shim/shim.h"
done
stub asm/qspinlock "$shim/qspinlock-arch.h"
for f in linux/debug_locks linux/hash linux/memblock; do
	stub "$f" "$shim/paravirt.h"
done
stub asm/qspinlock_paravirt "$shim/paravirt-arch.h"
stub asm/mcs_spinlock asm-generic/mcs_spinlock.h
stub asm/rqspinlock "$shim/rqspinlock-arch.h"

# Is there a tree of upstream's lock (upstream.sh)?
mkdir -p "$dest/include/lab"
has='/* without upstream'"'"'s lock: make lab-upstream */'
[ ! -e "$(dirname "$dest")/upstream/kernel" ] || has='#define LAB_HAS_UPSTREAM 1'
[ "$has" = "$(cat "$dest/include/lab/upstream.h" 2>/dev/null)" ] ||
	echo "$has" >"$dest/include/lab/upstream.h"
