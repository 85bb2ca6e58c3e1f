#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Run fuzzers that `make fuzz` has built: run.sh SECONDS FUZZER...
# An input that breaks something is kept as build/fuzz/found/FUZZER-KIND-HASH; run the fuzzer with
# it to see it again, and put it into corpus/ with the fix. The last line is the sum.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit

here=selftests/tool/fuzz out=build/fuzz
if [ $# -lt 2 ] || ! [[ $1 =~ ^[1-9][0-9]*$ ]]; then
	sed -n '3,5s/^# //p' "$0" >&2
	exit 2
fi
seconds=$1
shift
passed=0 failed=0
mkdir -p $out/found

# What a fuzzer learned last time is where it begins, behind what the tree has.
seeds() {
	local own=$out/corpus/$1
	mkdir -p "$own"
	case $1 in
	object) cp -n build/bpf/progs/{aa,abba,map_value,xdp}.bpf.o "$own/" 2>/dev/null ;;
	lines) cp -n selftests/tool/cli/replay/*.jsonl "$own/" 2>/dev/null ;;
	esac
	[ ! -d "$here/corpus/$1" ] || cp -n "$here/corpus/$1"/* "$own/"
	echo "$own"
}

for name; do
	log=$out/$name.log
	ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 "$out/selftests/tool/fuzz/$name" \
		-max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 \
		-artifact_prefix="$out/found/$name-" -print_final_stats=1 -close_fd_mask=1 \
		"$(seeds "$name")" >"$log" 2>&1
	rc=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	if [ $rc = 0 ] && [ "${runs:-0}" -gt 0 ]; then
		passed=$((passed + 1))
		echo "ok - $name: $runs inputs in $seconds s"
	else
		failed=$((failed + 1))
		echo "not ok - $name: status $rc, see $log"
		grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$log" | sed 's/^/# /' | head
	fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
