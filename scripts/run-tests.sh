#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Run the suites of scripts/suites.conf and sum them up; exit 1 on any failure.
#   scripts/run-tests.sh [--list] [--all | --full] [GLOB...]
#                    suites by name; default: those without "+"; --all: those without "++", too
#   scripts/run-tests.sh --guest NAME [--cpu PATH]  what needs the locks, in that guest instead
#   --results FILE                                       keep one line per test for a later sum
# RQSPIN_TEST_SECONDS: no suite starts later than that; those left out are listed as skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

logs=build/test-logs
results=$logs/results.tsv
fallback_guest="debian-7 queue"
# What every kernel has to pass; other suites are nowhere else, whatever their image is called.
least=selftests/kernel.sh
patched=6.12-rqspin kernel_pid='' guest_limit=4
no_kernel='^(fetch-kernel: (no|cannot|[^ ]+ is built here:)|'
no_kernel+='setup: error: (no package of linux-source|cannot install)) '
guest='' cpu=queue list=0 marks='' globs=()
declare -A images=()
usage="usage: run-tests.sh [--list] [--all | --full] [--guest NAME [--cpu queue|tas|hybrid]]
       [--results FILE] [GLOB...]"
PATH=$PATH:/usr/sbin:/sbin

die() {
	printf 'run-tests: %s\n' "$1" >&2
	exit 2
}

parse_args() {
	while [ $# -gt 0 ]; do
		case $1 in
		--guest | --cpu | --results) [ -n "${2:-}" ] || die "$1 needs a value; $usage" ;;
		esac
		case $1 in
		--guest) guest=$2 && shift ;;
		--cpu) cpu=$2 && shift ;;
		--results) results=$2 && shift ;;
		--list) list=1 ;;
		--all) marks=+ ;;
		--full) marks=++ ;;
		-*) die "$usage" ;;
		*) globs+=("$1") ;;
		esac
		shift
	done
}

suites() { sed 's/#.*//; s/ *| */|/g; s/ *$//; /^$/d' scripts/suites.conf; }

selected() {
	local g
	if [ ${#globs[@]} = 0 ]; then
		[ -n "$guest" ] || [[ $marks == "${1%%[^+]*}"* ]]
		return
	fi
	for g in "${globs[@]}"; do
		# shellcheck disable=SC2053 # a glob on purpose
		[[ ${1##*+} == $g ]] && return 0
	done
	return 1
}

# Whether kernel-facing suites can run here: root, and locks in the running kernel's BTF.
kernel_has_locks() {
	[ "$(id -u)" = 0 ] && "${BPFTOOL:-bpftool}" btf dump file /sys/kernel/btf/vmlinux 2>/dev/null |
		grep "FUNC 'bpf_res_spin_lock'" >/dev/null
}

# The place where a suite runs: "host" or "KERNEL CPU"; empty: not at all in this mode.
place_of() {
	case $guest-$1 in
	-kernel) echo "$kernel_place" ;;
	-*) echo "$1" ;;
	*-kernel) echo "$guest $cpu" ;;
	esac
}

# The sources that suites with the place `tree` run on: the kernel of this system with our series.
make_tree() { scripts/setup.sh --tree && kernel-patches/tree.sh; }

needs_patched() { [ "$1" = built ] || [[ $1 == "$patched "* ]]; }

want_patched() {
	local name place rest
	while IFS='|' read -r name place rest; do
		if selected "$name" && needs_patched "$(place_of "$place")"; then
			return 0
		fi
	done < <(suites)
	return 1
}

# The patched kernel is compiled while other suites run, in the time that they leave idle.
start_kernel() {
	kernel_rc=0
	{ scripts/setup.sh --kernel && kernel-patches/tree.sh; } >"$logs/kernel.log" 2>&1 || kernel_rc=$?
	[ $kernel_rc = 0 ] || return 0
	# A session of its own is a group of its own for the scheduler, whatever its tasks are.
	# Its status goes to a file: bash forgets that of a process whose number comes again.
	echo 1 >"$logs/kernel.rc"
	# shellcheck disable=SC2016 # for the shell within
	setsid bash -c '{ echo 19 >/proc/self/autogroup; } 2>/dev/null
		chrt --idle 0 kernel-patches/build.sh lean; echo $? >"$0"' "$logs/kernel.rc" \
		>>"$logs/kernel.log" 2>&1 &
	kernel_pid=$!
	trap stop_kernel EXIT
}

# shellcheck disable=SC2317 # called by the trap
stop_kernel() { [ -z "$kernel_pid" ] || kill -- "-$kernel_pid" 2>/dev/null || true; }

wait_kernel() {
	if [ -n "$kernel_pid" ]; then
		wait "$kernel_pid" 2>/dev/null || true
		kernel_rc=$(cat "$logs/kernel.rc")
	fi
	kernel_pid=''
	[ "$kernel_rc" = 0 ] || tail -n 20 "$logs/kernel.log"
	return "$kernel_rc"
}

run_suite() {
	local place=$1 limit=$2 command=$3
	[[ $command == pytest\ * ]] &&
		command=".venv/bin/pytest -v -p no:cacheprovider --durations=8 ${command#pytest }"
	export COLUMNS=1000 CMOCKA_MESSAGE_OUTPUT=TAP NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1
	if [ "$place" = tree ]; then
		make_tree || return
	elif needs_patched "$place"; then
		wait_kernel || return
	fi
	if [[ $place =~ ^(host|tree|built)$ ]]; then
		timeout -k 5 "$limit" bash -c "$command"
	else
		# shellcheck disable=SC2086 # kernel, path, number of CPUs
		set -- $place
		selftests/vm/run.sh --kernel "$1" --cpu "$2" --cpus "${3:-4}" --timeout "$limit" -- \
			"export COLUMNS=1000 CMOCKA_MESSAGE_OUTPUT=TAP NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1; $command"
	fi </dev/null
}

# Of several names of one image the first that a run comes to is enough for the least of a kernel.
# Sets $twin to that name if the guest $1 is not the first.
find_twin() {
	local kernel=${1%% *} image
	twin=''
	selftests/vm/fetch-kernel.sh "$kernel" || return 0
	image=$(cat "build/kernels/$kernel/IMAGE" 2>/dev/null) || return 0
	[ "${images[$image]:=$kernel}" = "$kernel" ] || twin="${images[$image]} ($image)"
}

skip_suite() { printf 'skip\t%s\twhole suite\t%s\n' "$1" "$2" >>"$results"; }

# Suites of a distribution that nobody could look at for a kernel.
record_unseen() {
	sed -n 's/^fetch-kernel: \(.*: suite not looked at: .*\)/\1/p' "$2" | sort -u |
		while read -r line; do printf 'skip\t%s\tnewer kernel\t%s\n' "$1" "$line"; done
}

record() {
	local name=$1 place=$2 log=$3 status=$4
	if [ "$place" != host ] && [ "$status" = 3 ] && grep -qE "$no_kernel" "$log"; then
		printf 'skip\t%s\twhole suite\t%s\n' "$name" "$(grep -m1 -E "$no_kernel" "$log")"
	elif [ "$status" = 124 ]; then
		python3 scripts/tally.py "$name" 124 "$log"
		printf 'fail\t%s\t(suite)\ttime limit\n' "$name"
	else
		python3 scripts/tally.py "$name" "$status" "$log"
	fi >"$log.tsv"
	record_unseen "$name" "$log" >>"$log.tsv"
	cat "$log.tsv" >>"$results"
}

count() { grep -c "^$1	" "$2" || true; }
sums() { echo "$(count pass "$1") passed, $(count fail "$1") failed, $(count skip "$1") skipped"; }

one_suite() {
	local name=${1##*+} place limit=$3 command=$4 log status=0 start=$SECONDS twin=''
	place=$(place_of "$2")
	[ -n "$place" ] || return 0
	[ -z "$guest" ] || limit=$((limit * guest_limit))
	if [ $list = 1 ]; then
		printf '%-20s %-18s %s\n' "$name" "$place" "$command"
		return 0
	fi
	log=$logs/$name.log
	printf '%-20s %-18s ' "$name" "$place"
	# Waiting for the kernel takes time, too; that it is missing is found again by the suite.
	! needs_patched "$place" || wait_kernel >/dev/null || true
	if [ "$SECONDS" -gt "${RQSPIN_TEST_SECONDS:-$SECONDS}" ]; then
		skip_suite "$name" "the $RQSPIN_TEST_SECONDS s of this run were used up"
		echo "left out: no time"
		return 0
	fi
	: >"$log"
	[[ $place =~ ^(host|tree|built)$ ]] || find_twin "$place" >"$log" 2>&1
	if [ -n "$twin" ] && [ "$command" = $least ]; then
		skip_suite "$name" "${place%% *} is the image of $twin"
		record_unseen "$name" "$log" >>"$results"
		echo "left out: the image of $twin"
		return 0
	fi
	run_suite "$place" "$limit" "$command" >>"$log" 2>&1 || status=$?
	record "$name" "$place" "$log" $status
	printf '%s (%d s)\n' "$(sums "$log.tsv")" $((SECONDS - start))
	[ "$(count fail "$log.tsv")" = 0 ] || tail -n 40 "$log" | sed 's/^/    | /'
}

summary() {
	local kind
	for kind in skip fail; do
		awk -F'\t' -v k=$kind '$1 == k {
			printf "%s: %s: %s%s\n", k, $2, $3, $4 == "" ? "" : ": " $4 }' "$results"
	done
	sums "$results"
}

main() {
	parse_args "$@"
	mkdir -p "$logs"
	exec 9>"$logs/.lock"
	[ $list = 1 ] || flock -n 9 || die "another run is under way in this tree"
	[ $list = 1 ] || : >"$results"
	kernel_place=host
	kernel_has_locks || kernel_place=$fallback_guest
	if [ $list = 0 ] && want_patched; then
		start_kernel
	fi
	while IFS='|' read -r -u 3 name place limit command; do
		selected "$name" && one_suite "$name" "$place" "$limit" "$command"
	done 3< <(suites)
	[ $list = 0 ] || exit 0
	summary
	[ "$(count fail "$results")" = 0 ] && [ "$(count pass "$results")" -gt 0 ]
}

main "$@"
exit
