#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh KERNEL: boots KERNEL, which must hang in head (README.md of selftests). Exit 0 if it does:
# if head says so, or if the guest is dead after the beginning of a round.
set -euo pipefail
cd "$(dirname "$0")/../.."
kernel=${1:?usage: run.sh KERNEL}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

rc=0
selftests/vm/run.sh --kernel "$kernel" --cpus 5 --timeout 120 -- \
	build/selftests/head/head --rounds 100 --expect-hang | tee "$out" || rc=$?
case $rc in
0 | 2) exit $rc ;;
3)
	echo "ok 1 - interrupted head # SKIP there is no kernel $kernel here"
	printf '0 passed, 0 failed, 1 skipped\n'
	exit 0
	;;
124 | 125) ;;
*) exit 1 ;;
esac
# What was said counts, even if the guest cannot be taken down any more.
! grep -q '^ok 1 - interrupted head: this kernel hangs$' "$out" || exit 0
round=$(tail -n 1 "$out")
if [[ $round =~ ^'# round '[0-9]+$ ]]; then
	echo "ok 1 - interrupted head: this kernel hangs"
	printf '1 passed, 0 failed, 0 skipped\n'
else
	echo "not ok 1 - interrupted head: the guest died before the first round"
	printf '0 passed, 1 failed, 0 skipped\n'
	exit 1
fi
