#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Test the lock of kernel-patches/ inside its kernel: KUnit, locktorture, stress module, kernel log.
#   selftests/kernel/lock/run.sh [--kernel NAME] [--cpu queue,tas,hybrid] [--cpus 2,4,8]
#                                [--seconds S]
#                         [--only kunit,torture,provoke,stress]
# One guest for each CPU model and number of CPUs. Each of locktorture's two types, and of the
# stress module's kinds of deadlock, runs for S seconds (60). TAP; exit status 3: no such kernel.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
vm=$here/../../vm/run.sh
kernel=6.12-rqspin models=queue cpus=4 seconds=60 parts=kunit,torture,provoke,stress
count=0 passed=0 failed=0 skipped=0

usage() {
	sed -n '4,6s/^# *//p' "$0" >&2
	exit 2
}

parse_args() {
	while [ $# -gt 0 ]; do
		[ $# -gt 1 ] || usage
		case $1 in
		--kernel) kernel=$2 ;;
		--cpu) models=$2 ;;
		--cpus) cpus=$2 ;;
		--seconds) seconds=$2 ;;
		--only) parts=$2 ;;
		*) usage ;;
		esac
		shift 2
	done
	[[ $models =~ ^(queue|tas|hybrid)(,(queue|tas|hybrid))*$ ]] || usage
	[[ $cpus =~ ^[0-9]+(,[0-9]+)*$ && $seconds =~ ^[1-9][0-9]*$ ]] || usage
	[[ $parts =~ ^(kunit|torture|provoke|stress)(,(kunit|torture|provoke|stress))*$ ]] || usage
}

# The guest's lines carry no numbers, since there are several guests.
number() {
	local where=$1 line=$2
	count=$((count + 1))
	case $line in
	ok*SKIP*) skipped=$((skipped + 1)) ;;
	ok*) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	printf '%s %d %s: %s\n' "${line%% - *}" "$count" "$where" "${line#* - }"
}

# What a guest may take: its tests and, in emulation, half a minute to come up.
limit() { echo $((10 * seconds + 600)); }

run_guest() {
	local model=$1 n=$2 where="$kernel $1 $2" line rc=1 said=0 bad=0
	while IFS= read -r line; do
		case $line in
		'guest: '*) rc=${line#guest: } ;;
		'ok - '* | 'not ok - '*)
			number "$where" "$line"
			said=$((said + 1))
			[[ $line == ok* ]] || bad=1
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done < <(
		rc=0
		"$vm" --kernel "$kernel" --cpu "$model" --cpus "$n" --timeout "$(limit)" -- \
			"$here/guest.sh" "$seconds" "$parts" || rc=$?
		echo "guest: $rc"
	)
	[ "$rc" != 3 ] || exit 3
	# A guest that came to nothing is no success, and status 1 must have its reason.
	[ $said -gt 0 ] || number "$where" "not ok - no result came from the guest"
	case $rc in
	0) ;;
	1) [ $bad = 1 ] || number "$where" "not ok - status 1 without a failure" ;;
	126) number "$where" "not ok - the kernel log shows a fault" ;;
	*) number "$where" "not ok - the guest ended with status $rc" ;;
	esac
}

parse_args "$@"
echo "TAP version 13"
for model in ${models//,/ }; do
	for n in ${cpus//,/ }; do
		run_guest "$model" "$n"
	done
done
echo "1..$count"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
