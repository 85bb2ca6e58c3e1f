#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Run the suites of scripts/suites.conf and sum them up; exit 1 on any failure.
#   scripts/run-tests.sh [--list] [--all | --full] [GLOB...]
#                    suites by name; default: those without "+"; --all: those without "++", too
#   scripts/run-tests.sh --guest NAME [--cpu PATH]  what needs the locks, in that guest instead
#   --results FILE                                       keep one line per test for a later sum
# RQSPIN_TEST_SECONDS: no suite starts later than that; those left out are listed as skipped.
# Suites that follow each other in the same guest share one boot (selftests/vm/run-suites.sh). Those
# marked "idle" run beside all others, in the time that these leave.
set -euo pipefail
cd "$(dirname "$0")/.."

logs=build/test-logs
results=$logs/results.tsv
times=$logs/times.tsv
TIMEFORMAT='%R %U %S'
fallback_guest="debian-7 queue"
# What every kernel has to pass; other suites are nowhere else, whatever their image is called.
least=selftests/kernel/brief.sh
patched=6.12-rqspin kernel_pid='' guest_limit=4
no_kernel='^(fetch-kernel: (no|cannot|[^ ]+ is built here:)|'
no_kernel+='setup: error: (no package of linux-source|cannot install)) '
guest='' cpu=queue list=0 marks='' globs=() lane_pids=()
declare -A images=() series_rc=()
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

# What has to be installed for `tree`, before the lanes: they cannot ask for a password. That
# something is missing is found again by the suites.
prepare_tree() {
	if list_plan | grep -E '^[^ ]+ +tree' >/dev/null; then
		scripts/setup.sh --tree >"$logs/setup.log" 2>&1 || true
	fi
}

# The patched kernel is compiled while other suites run, in the time that they leave idle.
start_kernel() {
	kernel_rc=0
	{ scripts/setup.sh --kernel && kernel-patches/tree.sh; } >"$logs/kernel.log" 2>&1 || kernel_rc=$?
	[ $kernel_rc = 0 ] || return 0
	# A session of its own is a group of its own for the scheduler, whatever its tasks are.
	# More than one may wait for it, so its status goes to a file, and its end is that of a lock.
	echo 1 >"$logs/kernel.rc"
	exec 8>"$logs/kernel.lock"
	flock 8
	# shellcheck disable=SC2016 # for the shell within
	setsid bash -c '{ echo 19 >/proc/self/autogroup; } 2>/dev/null
		chrt --idle 0 kernel-patches/build.sh lean; echo $? >"$0"' "$logs/kernel.rc" \
		>>"$logs/kernel.log" 2>&1 &
	kernel_pid=$!
	exec 8>&-
}

# shellcheck disable=SC2317 # called by the trap
stop_all() {
	local pid
	# The number of a build that has ended may be another process's.
	flock -n "$logs/kernel.lock" true || pid=$kernel_pid
	for pid in ${pid:-} "${lane_pids[@]}"; do
		kill -- "-$pid" 2>/dev/null || true
	done
}

wait_kernel() {
	if [ -n "$kernel_pid" ]; then
		flock "$logs/kernel.lock" true
		kernel_rc=$(cat "$logs/kernel.rc")
	fi
	[ "$kernel_rc" = 0 ] || tail -n 20 "$logs/kernel.log"
	return "$kernel_rc"
}

# The kernel of a series of 7.x is compiled when its suites come, but not in a run with a time
# limit, nor if the user names the guest: its suites are skipped if nobody has built it. So they
# are without its source (status 3).
make_series() {
	local series start=$SECONDS rc=0 log=$logs/kernel-7.log
	[[ -z $guest && $1 =~ ^7\.x-([a-z]+)$ ]] && [ -z "${RQSPIN_TEST_SECONDS:-}" ] || return 0
	series=7.x/${BASH_REMATCH[1]}
	[ -z "${series_rc[$series]:-}" ] || return "${series_rc[$series]}"
	build_series "$series" >"$log" 2>&1 || rc=$?
	# make itself returns 2, whatever a command did.
	! grep -qE '^make(\[[0-9]+\])?: \*\*\* \[.*: kernel(-tree)?\] Error 3$' "$log" || rc=0
	printf '%s\t-\t(kernel)\t%s\n' $((SECONDS - start)) "$1" >>"$times"
	series_rc[$series]=$rc
	return $rc
}

# A tree that was there before may have other patches than the series has now.
build_series() {
	local make=(make --no-print-directory "SERIES=$1" CONFIG=lean)
	LC_ALL=C "${make[@]}" kernel-tree </dev/null && SERIES=$1 kernel-patches/regen.sh --check &&
		LC_ALL=C "${make[@]}" kernel </dev/null
}

is_guest() { [[ ! $1 =~ ^(host|tree|built)( |$) ]]; }

# `host KERNEL...`: the suite boots these itself.
make_host_kernels() {
	local kernel rc
	for kernel in ${1#host}; do
		[ "$kernel" != idle ] || continue
		make_series "$kernel" || { rc=$? && tail -n 20 "$logs/kernel-7.log" && return $rc; }
		selftests/vm/fetch-kernel.sh "$kernel" || return
	done
}

suite_command() {
	[[ $1 == pytest\ * ]] || { printf '%s\n' "$1" && return; }
	printf '%s\n' ".venv/bin/pytest -v -p no:cacheprovider --durations=8 ${1#pytest }"
}

run_suite() {
	local place=$1 limit=$2 command
	command=$(suite_command "$3")
	export COLUMNS=1000 CMOCKA_MESSAGE_OUTPUT=TAP NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1
	if [[ $place == host\ * ]]; then
		make_host_kernels "$place" || return
	elif [[ $place == tree* ]]; then
		make_tree || return
	elif needs_patched "$place"; then
		wait_kernel || return
	fi
	# timeout leads a group of its own, which what ends a lane does not reach.
	setpriv --pdeathsig TERM timeout -k 5 "$limit" bash -c "$command" </dev/null
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

out_of_time() { [ "$SECONDS" -gt "${RQSPIN_TEST_SECONDS:-$SECONDS}" ]; }

# A suite's line, at once, as those in idle time write lines, too: name, place, the rest.
suite_say() { printf '%-20s %-18s %s\n' "$1" "$2" "$3"; }

# What became of a suite, and what it took: name, place, seconds, of them CPU time.
finish_suite() {
	local name=$1 place=$2 seconds=$3 cpu=$4 log=$logs/$1.log said
	printf -v said '%s (%.0f s)' "$(sums "$log.tsv")" "$seconds"
	[ "$(count fail "$log.tsv")" = 0 ] ||
		said+=$'\n'$(tail -n 40 "$log" | sed 's/^/    | /')
	suite_say "$name" "$place" "$said"
	printf '%s\t%s\t%s\t%s\n' "$seconds" "$cpu" "$name" "$place" >>"$times"
}

late_suite() {
	skip_suite "$1" "the $RQSPIN_TEST_SECONDS s of this run were used up"
	suite_say "$1" "$2" "left out: no time"
}

one_suite() {
	local name=$1 place=$2 limit=$3 command=$4 log=$logs/$1.log status=0 real user sys
	# Waiting for the kernel takes time, too; that it is missing is found again by the suite.
	! needs_patched "$place" || wait_kernel >/dev/null || true
	[[ $place != host\ * ]] || make_host_kernels "$place" >/dev/null 2>&1 || true
	if out_of_time; then
		late_suite "$name" "$place"
		return 0
	fi
	# In a subshell, as the CPU time is that of all children that end meanwhile.
	(time run_suite "$place" "$limit" "$command" >"$log" 2>&1) 2>"$log.took" || status=$?
	read -r real user sys < <(tail -n 1 "$log.took")
	record "$name" "$place" "$log" $status
	finish_suite "$name" "$place" "$real" "$(awk '{ print $1 + $2 }' <<<"$user $sys")"
}

# Whether the suite has nothing to test, because its image is tested by another name.
leave_twin() {
	local name=$1 place=$2 command=$3
	find_twin "$place" >"$logs/$name.log" 2>&1
	[ -n "$twin" ] && [ "$command" = $least ] || return 1
	skip_suite "$name" "${place%% *} is the image of $twin"
	record_unseen "$name" "$logs/$name.log" >>"$results"
	suite_say "$name" "$place" "left out: the image of $twin"
}

# Writes the list of run-suites.sh: the suites of the group, but those that are left out.
group_prepare() {
	local line name limit command until=-
	[ -z "${RQSPIN_TEST_SECONDS:-}" ] ||
		until=$(($(date +%s) + RQSPIN_TEST_SECONDS - SECONDS))
	for line in "${group[@]}"; do
		IFS='|' read -r name limit command <<<"$line"
		: >"$logs/$name.log"
		if out_of_time; then
			late_suite "$name" "$group_place"
		elif ! leave_twin "$name" "$group_place" "$command"; then
			printf '%s\t%s\t%s\t%s\n' "$name" "$limit" "$until" \
				"$(suite_command "$command")" >&4
		fi
	done 4>"$logs/guest.list"
}

# A suite of the group has ended: status, seconds, CPU time. What was said when its kernel was
# fetched is in front of its log.
group_take() {
	local name=$1
	cat "$logs/guest/$name.log" >>"$logs/$name.log"
	record "$name" "$group_place" "$logs/$name.log" "$2"
	finish_suite "$name" "$group_place" "$3" "$4"
}

# What run-suites.sh says; at its end no suite may be left without an answer.
group_read() {
	local what name status seconds cpu
	declare -A open=()
	while IFS=$'\t' read -r name _; do open[$name]=1; done <"$logs/guest.list"
	while IFS=$'\t' read -r what name status seconds cpu; do
		case $what in
		boot) printf '%s\t-\t(boot)\t%s\n' "$name" "$group_place" >>"$times" ;;
		late) late_suite "$name" "$group_place" ;;
		'done') group_take "$name" "$status" "$seconds" "$cpu" ;;
		esac
		unset "open[$name]"
	done
	for name in "${!open[@]}"; do
		: >>"$logs/guest/$name.log"
		group_take "$name" 125 0 -
	done
}

# Without its kernel a suite fails as one that was begun. $2: what the build printed.
group_fail() {
	local line name
	for line in "${group[@]}"; do
		name=${line%%|*}
		tail -n 20 "$2" >"$logs/$name.log"
		record "$name" "$group_place" "$logs/$name.log" "$1"
		finish_suite "$name" "$group_place" 0 -
	done
}

# The suites that follow each other in one guest.
group_run() {
	local kernel path cpus rc=0 log=$logs/kernel.log
	[ ${#group[@]} -gt 0 ] || return 0
	read -r kernel path cpus <<<"$group_place"
	! needs_patched "$group_place" || wait_kernel >/dev/null || rc=$?
	[ $rc != 0 ] || make_series "$kernel" || { rc=$? log=$logs/kernel-7.log; }
	if [ $rc = 0 ]; then
		group_prepare
		mkdir -p "$logs/guest"
		[ ! -s "$logs/guest.list" ] || group_read < <(selftests/vm/run-suites.sh \
			--kernel "$kernel" --cpu "$path" --cpus "${cpus:-4}" -- "$logs/guest.list" \
			"$logs/guest" </dev/null)
	else
		group_fail $rc "$log"
	fi
	group=() group_place=''
}

# The suites of this run, with the place where each is to run.
plan() {
	local name place limit command
	while IFS='|' read -r name place limit command; do
		selected "$name" || continue
		place=$(place_of "$place")
		[ -n "$place" ] || continue
		[ -z "$guest" ] || limit=$((limit * guest_limit))
		printf '%s|%s|%s|%s\n' "${name##*+}" "$place" "$limit" "$command"
	done < <(suites)
}

# The suites that are marked as idle ($1: 1), or the others (0).
run_lane() {
	local name place limit command group=() group_place='' idle
	while IFS='|' read -r -u 3 name place limit command; do
		# Nobody reads what an orphan finds.
		kill -0 $$ 2>/dev/null || exit 1
		[[ $place == *" idle" ]] && idle=1 || idle=0
		[ $idle = "$1" ] || continue
		[ "$place" = "$group_place" ] || group_run
		if is_guest "$place"; then
			group+=("$name|$limit|$command") group_place=$place
		else
			one_suite "$name" "$place" "$limit" "$command"
		fi
	done 3< <(plan)
	group_run
}

# Its status goes to a file: bash forgets that of a process whose number comes again.
lane_main() {
	[ "$2" = 0 ] || chrt --idle --pid 0 $BASHPID
	run_lane "$2"
	echo 0 >"$logs/$1.rc"
}

lane_start() {
	echo 1 >"$logs/$1.rc"
	lane_main "$1" "$2" </dev/null &
	lane_pids+=($!)
}

lane_check() {
	[ "$(cat "$logs/$1.rc")" = 0 ] ||
		printf 'fail\t%s\t(suites)\tended too early\n' "$1" >>"$results"
}

# A job of its own ignores no Ctrl-C, unlike what bash begins in the background in another way; what
# tests start would ignore it, too. While it waits for jobs, bash itself ends at once.
run_plan() {
	set -m
	lane_start idle 1
	lane_start main 0
	set +m
	wait "${lane_pids[@]}" || true
	lane_pids=()
	lane_check idle
	lane_check main
}

list_plan() {
	plan | while IFS='|' read -r name place _ command; do
		suite_say "$name" "$place" "$command"
	done
}

# Where the time went, slowest first; what took less than 5 s in one line.
time_table() {
	local cpu="CPU time of guests: what their suites used inside"
	[ -s "$times" ] || return 0
	printf 'where the time went, slowest first (%s):\n%8s %8s\n' "$cpu" seconds CPU
	sort -rn "$times" | awk -F'\t' '
		$1 < 5 { n++; rest += $1; cpu += $2; next }
		{ printf "%8.0f %8s  %s (%s)\n", $1, $2 == "-" ? "-" : sprintf("%.0f", $2), $3, $4 }
		END { if (n) printf "%8.0f %8.0f  %d that took less than 5 s\n", rest, cpu, n }'
	printf '%8d %8s  all, with what lies between suites\n' "$SECONDS" ''
}

summary() {
	local kind
	time_table
	for kind in skip fail; do
		awk -F'\t' -v k=$kind '$1 == k {
			printf "%s: %s: %s%s\n", k, $2, $3, $4 == "" ? "" : ": " $4 }' "$results"
	done
	sums "$results"
}

main() {
	parse_args "$@"
	kernel_place=host
	kernel_has_locks || kernel_place=$fallback_guest
	if [ $list = 1 ]; then
		list_plan
		exit 0
	fi
	mkdir -p "$logs"
	exec 9>"$logs/.lock"
	flock -n 9 || die "another run is under way in this tree"
	: >"$results"
	: >"$times"
	trap stop_all EXIT
	if want_patched; then
		start_kernel
	fi
	prepare_tree
	run_plan
	summary
	[ "$(count fail "$results")" = 0 ] && [ "$(count pass "$results")" -gt 0 ]
}

main "$@"
exit
