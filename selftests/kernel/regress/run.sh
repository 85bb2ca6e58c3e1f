#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Run the kernel's BPF selftests on the unpatched and the patched kernel and compare: what
# selftests/kernel/regress/build.sh has built.
#   [SERIES=7.x/cycles] selftests/kernel/regress/run.sh [--base NAME] [--kernel NAME]
#                                                       [--cpu queue|tas]
#                            [--group GLOB]... [--minutes N] [--keep] [--report]
#   selftests/kernel/regress/run.sh --groups    names them
# NAME: folders of build/kernels. A guest runs N minutes (7), then the next one continues. --keep
# continues an earlier call, --report only compares what is there.
# TAP; exit status 3: a kernel is missing, or another run is under way.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(readlink -f "$here/../../..")
vm=$top/selftests/vm/run.sh
work=$top/build/regress
SERIES=${SERIES:-6.12} conf=$here/tests.conf
differences=$here/expected-differences.tsv
base=6.12-rqspin-regress-base kernel=6.12-rqspin-regress
[ "$SERIES" = 6.12 ] || {
	work+=-7.x conf=$here/7.x.conf differences=$here/7.x-differences.tsv
	base=7.x-stock kernel=7.x-${SERIES#*/}
}
cpu=queue minutes=7 keep=0 run=1 groups=()
repeat=3 min=2000
# What one test may take after the time of a guest is over, and the start in emulation.
slack=420

usage() {
	sed -n '5,8s/^# *//p' "$0" >&2
	exit 2
}

parse_args() {
	while [ $# -gt 0 ]; do
		case $1 in
		--base | --kernel | --cpu | --group | --minutes) [ $# -gt 1 ] || usage ;;
		esac
		case $1 in
		--base) base=$2 && shift ;;
		--kernel) kernel=$2 && shift ;;
		--cpu) cpu=$2 && shift ;;
		--group) groups+=("$2") && shift ;;
		--minutes) minutes=$2 && shift ;;
		--keep) keep=1 ;;
		--report) run=0 ;;
		--groups) group_names && exit 0 ;;
		*) usage ;;
		esac
		shift
	done
	[[ $cpu =~ ^(queue|tas)$ && $minutes =~ ^[1-9][0-9]*$ ]] || usage
}

group_names() { awk '/^[^#]/ { print $1 }' "$conf" | uniq; }

need_groups() {
	local g name
	for g in "${groups[@]}"; do
		while read -r name; do
			# shellcheck disable=SC2053 # a glob on purpose
			[[ $name == $g ]] && continue 2
		done < <(group_names)
		printf "regress: no group '%s'; groups: %s\n" "$g" "$(group_names | paste -sd ' ')" >&2
		exit 2
	done
}

need_kernel() {
	[ -e "$top/build/kernels/$1/RELEASE" ] && [ -e "$work/out/tests" ] && return 0
	printf 'regress: no kernel %s, or no tests for it: see %s\n' "$1" \
		selftests/kernel/regress/README.md >&2
	exit 3
}

compare() { PYTHONDONTWRITEBYTECODE=1 "$here/compare.py" "$@"; }

# What the guest's kernel complained of, as lines of the log.
faults() { sed -n '/^vm: the guest kernel complained:/,$ { /^vm: /d; s/^/@@ fault /p }' "$1"; }

# One guest, with the tests of $results/SIDE.todo.
guest() {
	local side=$1 name=$2 rc=0
	(cd "$work/out" && "$vm" --kernel "$name" --cpu "$cpu" --cpus 4 \
		--timeout $((minutes * 60 + slack)) --name "regress-$side" -- \
		python3 "$here/guest.py" "$side" $((minutes * 60)) "$results/$side.todo") \
		>>"$results/$side.log" 2>"$results/$side.err" || rc=$?
	{ faults "$results/$side.err"; echo "@@ guest $rc"; } >>"$results/$side.log"
	tail -n 3 "$results/$side.err" | sed "s/^/# $side: /"
}

# Guests until every test of the plan has its result. Three that add none are the end of it.
side() {
	local side=$1 name=$2 left before=-1 idle=0
	while compare pending "$results/plan" "$results/$side.log" >"$results/$side.todo" &&
		[ -s "$results/$side.todo" ]; do
		left=$(wc -l <"$results/$side.todo")
		if [ "$left" = "$before" ]; then idle=$((idle + 1)); else idle=0; fi
		[ $idle -lt 3 ] || {
			echo "# $side: the guest makes no progress: see $results/$side.err"
			return 0
		}
		before=$left
		echo "# $side: $left tests to run"
		guest "$side" "$name"
	done
}

# Each side is a process group of its own: what runs in the background of a script does not receive
# Ctrl-C, and a guest that was ended from outside says nothing about the test that was under way.
both_sides() {
	set -m
	side base "$base" &
	sides=($!)
	side patched "$kernel" &
	sides+=($!)
	set +m
	wait "${sides[@]}"
	sides=()
}

# shellcheck disable=SC2317 # called by the traps
stop_sides() {
	local pid
	for pid in "${sides[@]}"; do
		kill -TERM -- "-$pid" 2>/dev/null || true
	done
	wait
	exit "$1"
}

parse_args "$@"
results=$work/results-$kernel-$cpu
[ ${#groups[@]} = 0 ] || results+=-some
need_groups
mkdir -p "$work"
exec 7>"$results.lock"
flock -n 7 || { echo "regress: another run is under way in $results" >&2; exit 3; }
sides=()
trap 'stop_sides 130' INT
trap 'stop_sides 143' TERM
for k in "$base" "$kernel"; do need_kernel "$k"; done
echo "TAP version 13"
if [ $run = 1 ]; then
	[ $keep = 1 ] || rm -rf "$results"
	mkdir -p "$results"
	if [ ! -s "$results/plan" ]; then
		compare plan "$conf" "$work/out/tests" "${groups[@]}" >"$results/plan"
	fi
	both_sides
	# What differs, once more: a race of the test may differ, too.
	if [ ! -e "$results/again" ]; then
		compare again $repeat "$results/plan" "$results/base.log" "$results/patched.log" \
			>"$results/again.new"
		cat "$results/again.new" >>"$results/plan"
		mv "$results/again.new" "$results/again"
		both_sides
	fi
fi
[ ${#groups[@]} = 0 ] || min=1
compare report --min $min "$differences" "$results/plan" "$results/base.log" \
	"$results/patched.log"
