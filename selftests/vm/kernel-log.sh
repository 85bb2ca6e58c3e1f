# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What in a kernel's log is a fault. Sourced by run.sh and guest-suites.sh; $kernel is a name of
# kernels.conf, $here this folder.
# shellcheck disable=SC2154
BAD='BUG:|WARNING:|Oops|general protection|soft lockup|hard LOCKUP|blocked for more than'
BAD+='|detected stall|self-detected stall|rcu.*stall|list_(add|del) corruption|refcount_t:'
BAD+='|suspicious RCU'

# Is the kernel one with the patches of kernel-patches/? The first line that knows it says.
kernel_is_patched() {
	local name of
	while IFS='|' read -r name _ _ of; do
		# shellcheck disable=SC2053 # a pattern
		[[ $kernel == ${name// /} ]] || continue
		[ "${of// /}" = kernel-patches ]
		return
	done < <(grep -v '^#' "$here/kernels.conf")
	return 1
}

# What is no fault in the log of this kernel.
allowed_lines() {
	if kernel_is_patched; then
		grep -vE '^(#|stock:)' "$here/dmesg-allow.txt"
	else
		grep -v '^#' "$here/dmesg-allow.txt" | sed 's/^stock://'
	fi
}

# The faults in the log on stdin, each once.
log_faults() {
	tr -d '\r' | grep -E "$BAD" | grep -vE -f <(allowed_lines) | sed 's/^\[[^]]*\] *//' | sort -u
}
