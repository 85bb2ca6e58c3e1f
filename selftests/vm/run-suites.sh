#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Run several suites in one guest, each as if it had the guest to itself.
#   selftests/vm/run-suites.sh --kernel NAME [options of run.sh] -- LIST LOGS
# LIST has a line for each suite: its name, its time limit in seconds, the time after which it is no
# longer begun (seconds since 1970, or -) and its command, with tabs between them. Its output goes
# to LOGS/NAME.log. On stdout, with tabs between the words, as soon as it is known:
#   done NAME STATUS SECONDS CPU    STATUS as run.sh has it; CPU: seconds, as the guest counts
#   late NAME                       there was no time left for it
#   boot SECONDS                    what a guest needed until its first suite, and from its last on
# A suite that fails, or that leaves processes or pinned objects behind, ends its guest, and one in
# which the guest dies has the guest's exit status: those after it run in a new guest.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
# What a guest that is busy with its end may take longer than the limit of its suite.
grace=60
options=() kernel=''

die() {
	printf 'run-suites: %s\n' "$1" >&2
	exit 2
}

parse_args() {
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		[ "$1" != --kernel ] || kernel=${2:-}
		options+=("$1")
		shift
	done
	if [ $# != 3 ] || [ -z "$kernel" ]; then
		die "usage: run-suites.sh --kernel NAME [options of run.sh] -- LIST LOGS"
	fi
	list=$2 logs=$3
	[ -f "$list" ] || die "no file '$list'"
}

now() { echo $((10#${EPOCHREALTIME//[^0-9]/} / 100000)); }
seconds() { printf '%d.%d' $(($1 / 10)) $(($1 % 10)); }

# Sets line; fails at the end of the guest's output, or when its suite is over its time. The rest of
# an output that ends without a newline is a line, too.
line_read() {
	local wait=()
	line=''
	[ -z "$deadline" ] || wait=(-t "$((deadline > SECONDS ? deadline - SECONDS : 1))")
	IFS= read -r "${wait[@]}" -u "$out" line && return 0
	[ $? -le 128 ] || overrun=1
	[ -z "$line" ] || log_add "$line"
	return 1
}

log_add() { printf '%s\n' "$1" >>"$logs/${name:-$first}.log"; }

suite_begin() {
	[ -n "$name" ] || boot=$(($(now) - started))
	suite_close
	name=$1 status='' cpu='' began=$(now)
	deadline=$((SECONDS + $2 + grace))
}

suite_end() {
	status=$2 cpu=$3 ended=$(now)
	seen+=("$1")
}

# The one before has no more to say once another one begins or the guest has ended.
suite_close() {
	[ -n "$name" ] || return 0
	printf 'done\t%s\t%s\t%s\t%s\n' "$name" "$status" "$(seconds $((ended - began)))" "$cpu"
}

line_take() {
	local a b c d
	case $1 in
	'#@begin '*) read -r _ a b <<<"$1" && suite_begin "$a" "$b" ;;
	'#@end '*)
		read -r _ a b c d <<<"$1"
		suite_end "$a" "$b" "$(awk '{ print $1 + $2 }' <<<"$c $d")"
		;;
	'#@late '*) printf 'late\t%s\n' "${1#* }" && seen+=("${1#* }") ;;
	*) log_add "$1" ;;
	esac
}

# The guest has ended with $1: that is the status of a suite in which it died, and that of the
# last one if the end was not clean.
guest_close() {
	local rc=$1
	[ -z "$overrun" ] || rc=124
	tr -d '\r' <"$work/stderr" >>"$logs/${name:-$first}.log"
	if [ -z "$name" ]; then
		name=$first began=$started boot=0
	fi
	if [ -z "$status" ]; then
		# An answer without what was asked for is none.
		[ "$rc" != 0 ] || rc=125
		suite_end "$name" "$rc" -
	elif [ "$rc" != 0 ] && [ "$status" = 0 ]; then
		status=$rc
	fi
	suite_close
	printf 'boot\t%s\n' "$(seconds $((boot + $(now) - ended)))"
}

# One guest for the suites of $work/list, which take $1 seconds at most. Those that it came to are
# in seen.
guest_run() {
	local limit=$1 rc=0
	name='' status='' deadline='' overrun='' started=$(now) ended=$(now) boot=0
	exec {out}< <(exec "$here/run.sh" "${options[@]}" --timeout "$limit" -- \
		"$here/guest-suites.sh" "$kernel" "$work/list" 2>"$work/stderr")
	pid=$!
	while line_read; do
		line_take "$line"
	done
	[ -z "$overrun" ] || kill $pid 2>/dev/null || true
	wait $pid || rc=$?
	pid=''
	exec {out}<&-
	all_late || guest_close $rc
}

# Nothing was begun, because there was no time left.
all_late() { [ -z "$name" ] && [ ${#seen[@]} -gt 0 ]; }

# The suites that no guest has come to.
list_rest() {
	awk -F'\t' 'BEGIN { while ((getline s < ARGV[1]) > 0) seen[s] = 1; ARGV[1] = "" }
		!($1 in seen)' "$work/seen" "$list"
}

# shellcheck disable=SC2317 # called by the trap
stop_all() {
	[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
	rm -rf "$work"
}

main() {
	local line first out pid='' seen limit
	parse_args "$@"
	work=$(mktemp -d "$logs/guest.XXXXXX")
	work=$(readlink -f "$work")
	trap stop_all EXIT
	trap 'exit 143' TERM
	trap 'exit 130' INT
	cut -f1 "$list" | while read -r name; do : >"$logs/$name.log"; done
	: >"$work/seen"
	while list_rest >"$work/list" && [ -s "$work/list" ]; do
		first=$(head -n 1 "$work/list" | cut -f1)
		limit=$(awk -F'\t' -v g=$grace '{ n += $2 + g } END { print n }' "$work/list")
		seen=()
		guest_run "$limit"
		printf '%s\n' "${seen[@]}" >>"$work/seen"
	done
}

main "$@"
