#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh SECONDS: every job of the lab that gives a verdict on the lock, with so many seconds of
# torture.
set -euo pipefail
seconds=${1:?usage: run.sh SECONDS} lab=${LAB:-build/lab}
passed=0 failed=0

job() {
	local name=$1 log=$lab/$1.log status=0 sums
	shift
	echo "# $name $*"
	timeout -k 5 $((seconds + 120)) "$lab/$name" "$@" >"$log" 2>&1 || status=$?
	sums=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1) || sums="0 passed, 1 failed"
	[[ $status = 0 || $sums != *" 0 failed"* ]] || sums="0 passed, 1 failed"
	grep -vE '^[0-9]+ passed, |^$' "$log" || true
	[ $status = 0 ] || echo "not ok - $name: exit code $status"
	read -r p _ f _ <<<"$sums"
	passed=$((passed + p)) failed=$((failed + f))
}

job lab-path
job lab-regress
job lab-regress-escape
job lab-detect --rounds 4000
job lab-detect-16k --rounds 1000
job lab-stress --real-time --seconds $((seconds / 2))
job lab-stress-escape --real-time --seconds $((seconds / 3))
job lab-stress-16k --real-time --seconds $((seconds / 6))
job lab-race-tsan 10
echo
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
