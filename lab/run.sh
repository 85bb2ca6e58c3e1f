#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh SECONDS: every job of the lab that gives a verdict on the lock, with so many seconds of
# torture.
set -euo pipefail
seconds=${1:?usage: run.sh SECONDS} lab=${LAB:-build/lab}
export LAB=$lab
passed=0 failed=0

job() {
	local name=$1 log=$lab/$1.log status=0 sums start=$SECONDS
	shift
	echo "# $name $*"
	timeout -k 5 $((seconds + 120)) "${program:-$lab/$name}" "$@" >"$log" 2>&1 || status=$?
	sums=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1) || sums="0 passed, 1 failed"
	[[ $status = 0 || $sums != *" 0 failed"* ]] || sums="0 passed, 1 failed"
	grep -vE '^[0-9]+ passed, |^$' "$log" || true
	[ $status = 0 ] || echo "not ok - $name: exit code $status"
	echo "# $name took $((SECONDS - start)) s"
	read -r p _ f _ <<<"$sums"
	passed=$((passed + p)) failed=$((failed + f))
}

job lab-path
program=lab/mutants/run.sh job lab-edits --edits
job lab-unit
program=lab/schedules/explore/run.sh job lab-sched "$lab/lab-sched"
job lab-regress
job lab-regress-escape
job lab-regress-high
job lab-detect --rounds $((seconds * 130))
job lab-detect-16k --rounds $((seconds * 15))
job lab-detect-high --rounds $((seconds * 15))
job lab-stress --real-time --seconds $((seconds / 2))
job lab-stress-escape --real-time --seconds $((seconds / 3))
# What differs with another layout of the word: queues, nesting, many verdicts.
for workload in pairs-of-4 interrupts-6-threads 16-threads-2-locks; do
	for layout in high 16k; do
		job lab-stress-$layout --real-time --seconds $((seconds / 10 + 1)) -o $workload
	done
done
job lab-race-tsan 10
echo
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
