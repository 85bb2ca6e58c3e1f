#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Nested map updates while `rqspin trace` runs: no hang, no lockup message, and
# a tracer that still answers. usage: run.sh [SECONDS] (600 is the full run)
set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top"
build=$(realpath "${O:-build}") # as make has it: absolute, or below the top
seconds=${1:-20}
tmp=$(mktemp -d)
tracer=
cleanup() {
	[ -z "$tracer" ] || kill -INT "$tracer" 2>/dev/null || true
	rm -rf "$tmp"
}
trap cleanup EXIT

passed=0 failed=0
check() { # description, command...
	local what=$1
	shift
	if "$@"; then
		echo "ok $((passed + failed + 1)) - $what"
		passed=$((passed + 1))
	else
		echo "not ok $((passed + failed + 1)) - $what"
		failed=$((failed + 1))
	fi
}

complaints() { # kernel messages since the start that speak of a lock gone wrong
	dmesg | awk -v mark="$mark" 'index($0, mark) { seen = 1 } seen { print }
		END { exit !seen }' >"$tmp/dmesg" ||
		echo "the kernel log no longer reaches back to the start"
	local bad='BUG:|WARNING:|lockup|hung task|blocked for more than|rcu.*(stall|self-detected)'
	grep -E "$bad|unable to handle" "$tmp/dmesg" || true
}

no_complaints() {
	local c
	c=$(complaints)
	[ -z "$c" ] || {
		printf '%s\n' "$c" | sed 's/^/# dmesg: /'
		return 1
	}
}

# An emulated machine with a tracer takes a minute to come to rest.
run_stress() {
	timeout $((seconds + 200)) "$build/selftests/kernel/stress/stress" "$seconds" |
		sed 's/^\(not ok\|ok\)/# stress: \1/'
}

stop_tracer() {
	kill -INT "$tracer"
	wait "$tracer"
}

mark="rqspin stress $$ begins"
echo "$mark" >/dev/kmsg
mkfifo "$tmp/ready"
"$build/rqspin" trace --json --ready-file "$tmp/ready" >"$tmp/events" 2>"$tmp/talk" &
tracer=$!
read -r _ <"$tmp/ready" || true
check "nested updates finish" run_stress
check "tracer is alive and ends cleanly" stop_tracer
tracer=
check "no complaint in dmesg" no_complaints
grep '"summary"' "$tmp/events" | sed 's/^/# tracer: /' || true
sed 's/^/# tracer: /' "$tmp/talk"
echo "1..$((passed + failed))"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
