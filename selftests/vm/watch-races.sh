#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Inside a guest whose kernel has KCSAN: watch only the functions whose names match PATTERN, an
# extended regular expression, because the base has races of its own. Without KCSAN it does nothing.
#   watch-races.sh [PATTERN]    default: the lock
set -u
kcsan=/sys/kernel/debug/kcsan
pattern=${1:-^(res_|resilient_)}

[ -e $kcsan ] || exit 0
echo whitelist >$kcsan
watched=0
while read -r f; do
	# What the compiler has cut into parts, or does not instrument, is refused.
	echo "!$f" >$kcsan 2>/dev/null && watched=$((watched + 1))
done < <(awk -v p="$pattern" '$2 ~ /[tT]/ && $3 ~ p { print $3 }' /proc/kallsyms | sort -u)
[ $watched -gt 0 ] || { echo "watch-races: no function matches $pattern" >&2; exit 1; }
echo on >$kcsan
echo "watch-races: KCSAN watches $watched functions" >&2
