#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Live deadlock events: `rqspin trace` in the background, then samples that really deadlock. Runs on
# this machine's kernel if it has the locks, else in a debian-7 guest. Fails if an event is missing.
#   scripts/demo.sh [SAMPLE...]
set -euo pipefail
cd "$(dirname "$0")/.."

rqspin=build/rqspin
declare -A kind=([aa]=AA [abba]=ABBA [timeout]=TIMEOUT [abbcca]=CYCLE)

die() {
	printf 'demo: %s\n' "$1" >&2
	exit 1
}

locks_here() { [ "$(id -u)" = 0 ] && "$rqspin" doctor >/dev/null 2>&1; }

cleanup() {
	[ -z "${tracer:-}" ] || kill -TERM "$tracer" 2>/dev/null || true
	wait
	rm -rf "$dir"
}

start_trace() {
	"$rqspin" trace --ready-file "$dir/ready" > >(tee "$dir/events") 2>"$dir/talk" &
	tracer=$!
	until [ -e "$dir/ready" ]; do
		kill -0 $tracer 2>/dev/null || die "rqspin trace did not start: $(cat "$dir/talk")"
		pause
	done
}

# The samples' own counts go to a file: the demo shows what the tracer saw.
run_sample() {
	echo
	echo "\$ rqspin run $1 --count 2"
	shown=$(wc -l <"$dir/events")
	"$rqspin" run "$1" --count 2 >"$dir/run" 2>&1 || die "rqspin run $1: $(cat "$dir/run")"
	await_events $((shown + 2))
}

# The tracer holds an event back for a moment, to join it with what other sources know of it.
await_events() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(wc -l <"$dir/events")" -lt "$1" ] || return 0
		pause
	done
}

pause() { read -r -t 0.05 _ <> <(:) || true; }

stop_trace() {
	kill -TERM "$tracer"
	wait "$tracer" || true
	tracer=''
	wait
	echo
	cat "$dir/talk"
	explain_owners
}

# A program cannot report what the other side holds: that needs a source outside of it.
explain_owners() {
	local why
	grep -q 'owner unknown' "$dir/events" || return 0
	why=$("$rqspin" doctor 2>/dev/null | sed -nE 's/^fentry and fexit +no +//p')
	[ -z "$why" ] || echo "demo: \"owner unknown\": this kernel has no trampolines ($why);" \
		"'$rqspin doctor' says what that costs" >&2
}

[ -x $rqspin ] || die "no $rqspin: run make build"
if ! locks_here; then
	[ -z "${RQSPIN_GUEST:-}" ] ||
		die "no resilient locks in the guest either: $("$rqspin" doctor 2>&1 | tail -n 3)"
	echo "demo: this kernel or user cannot use the locks ('$rqspin doctor' says why):" \
		"booting a guest with Debian's kernel 7.x" >&2
	scripts/setup.sh # a guest needs more than the build
	exec selftests/vm/run.sh --kernel debian-7 -- scripts/demo.sh "$@"
fi

samples=("$@")
if [ $# = 0 ]; then
	samples=(aa abba timeout)
	if [ "$(nproc)" -ge 3 ]; then
		samples+=(abbcca)
	else
		echo "demo: abbcca, a cycle of three, needs 3 CPUs; in a guest with 4: make demo-guest" >&2
	fi
fi
dir=$(mktemp -d)
trap cleanup EXIT
trap 'exit 130' INT TERM
echo "\$ rqspin trace"
start_trace
for s in "${samples[@]}"; do run_sample "$s"; done
stop_trace
for s in "${samples[@]}"; do
	want=${kind[$s]:-}
	[ -z "$want" ] || grep -qE "(^| )$want( |$)" "$dir/events" || die "no $want event came from $s"
done
