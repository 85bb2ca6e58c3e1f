#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do the tests inside the kernel object to a broken lock? Builds the patched kernel with
# mutants.patch on top, and runs KUnit and the stress module with each way to break the lock.
#   selftests/kernel/lock/mutants.sh [NUMBER...]     all of 1 to 14
# First with none of them, a control: to that no test may object.
# It builds that kernel, 6.12-rqspin-mutants, from the objects of the lean one, and restores the
# tree after that.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(readlink -f "$here/../../..")
tree=$top/build/linux-6.12
passed=0 failed=0 skipped=0
# Too rare for a guest, with what shows it elsewhere.
declare -A elsewhere=(
	[5]="needs a lock that changes hands between two reads: see pass-2-skipped in lab/schedules/mc"
)

die() {
	echo "mutants: $1" >&2
	exit 2
}

for n; do [[ $n =~ ^([1-9]|1[0-4])$ ]] || die "'$n' is no mutant: they are 1 to 14"; done
git -C "$tree" rev-parse -q --verify base >/dev/null 2>&1 ||
	die "no tree in $tree: run make kernel-tree"
[ -z "$(git -C "$tree" status --porcelain)" ] ||
	die "uncommitted changes in $tree: commit or stash them"

restore() { git -C "$tree" checkout -q .; }

guest() {
	"$here/../../vm/run.sh" --kernel 6.12-rqspin-mutants --cpus 6 --timeout 300 -- bash -c \
		"echo $1 >/sys/module/rqspinlock/parameters/mutant && exec $here/guest.sh 10 kunit,stress"
}

# One that hangs the guest is found as well; one that cannot be chosen is not.
try() {
	local n=$1 status=0 why
	guest "$n" >"$log.$n" 2>&1 || status=$?
	why=$(sed -n 's/^not ok - //p' "$log.$n" | paste -sd, | cut -c1-120)
	case $status in
	124 | 125) why="${why:+$why, }the guest hangs or dies" ;;
	126) why="${why:+$why, }the kernel log shows a fault" ;;
	esac
	if [ "$n" = 0 ]; then
		[ -z "$why" ] && [ $status = 0 ] && return 0
		echo "mutants: the lock that is not broken fails as well: $why (status $status, $log.0)" >&2
		exit 1
	fi
	if [ -n "$why" ]; then
		passed=$((passed + 1))
		echo "ok - mutant $n: $why"
	elif [ $status = 0 ] && [ -n "${elsewhere[$n]:-}" ]; then
		skipped=$((skipped + 1))
		echo "ok - mutant $n: nobody objects # SKIP ${elsewhere[$n]}"
	else
		failed=$((failed + 1))
		echo "not ok - mutant $n: nobody objects (status $status, $log.$n)"
	fi
}

mkdir -p "$top/build/test-logs"
log=$top/build/test-logs/lock-mutants
git -C "$tree" apply "$here/mutants.patch"
trap restore EXIT
"$top/kernel-patches/build.sh" --worktree --result mutants lean >"$log" 2>&1 || {
	echo "mutants: does not build: $log" >&2
	exit 1
}
restore
trap - EXIT
[ $# -gt 0 ] || set -- {1..14}
for n in 0 "$@"; do try "$n"; done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
