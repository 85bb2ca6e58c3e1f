#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is the fast path of the BPF lock the same in two builds of kernel/bpf/rqspinlock.o?
#   kernel-patches/fast-path.sh BEFORE.o AFTER.o
# Prints, for each function, the number of instructions up to its first return, and how they differ.
# Addresses are left out. Exit: 0 the same, 1 not, 2 bad call.
set -euo pipefail

die() {
	printf 'fast-path.sh: error: %s\n' "$1" >&2
	exit 2
}

fast_path() {
	objdump -dr --no-show-raw-insn "$1" | awk -v name="<$2>:" '
		# It reads to the end: a pipe that is closed early is an error of objdump.
		$2 == name { inside = 1; next }
		/^$/ { inside = 0 }
		inside {
			if ($0 !~ /R_X86_64/)
				sub(/^ *[0-9a-f]+:[ \t]*/, "")
			else
				sub(/^.*R_X86_64/, "R_X86_64")
			sub(/# [0-9a-f]+ .*/, "")
			sub(/[0-9a-f]+ <[^>]*>/, "")
			gsub(/[ \t]+/, " ")
			print
			if ($0 ~ /^ret/)
				inside = 0
		}'
}

[ $# = 2 ] || die "usage: fast-path.sh BEFORE.o AFTER.o"
for file; do
	[ -f "$file" ] || die "no '$file': build kernel/bpf/rqspinlock.o"
done
rc=0
for name in bpf_res_spin_lock bpf_res_spin_unlock bpf_res_spin_lock_irqsave \
	bpf_res_spin_unlock_irqrestore; do
	before=$(fast_path "$1" "$name")
	after=$(fast_path "$2" "$name")
	[ -n "$before" ] || die "no $name in '$1'"
	[ -n "$after" ] || die "no $name in '$2'"
	instructions() { grep -vc '^R_X86_64' <<<"$1"; }
	if [ "$before" = "$after" ]; then
		printf 'same    %-32s %d instructions\n' "$name" "$(instructions "$before")"
	else
		printf 'differs %-32s %d instructions, then %d\n' "$name" \
			"$(instructions "$before")" "$(instructions "$after")"
		diff <(echo "$before") <(echo "$after") | sed -n 's/^[<>]/    &/p' || true
		rc=1
	fi
done
exit $rc
