#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A simulation that lacks a rule must disagree with the verifier: the comparison is not empty.
#   selftests/kernel/rules/test-mutants.sh [PROGRAMS [RULE...]]
set -uo pipefail

top=$(readlink -f "$(dirname "$0")/../../..")
rules=$top/build/selftests/kernel/rules/rules
programs=${1:-3000}
shift || true
[ $# -gt 0 ] || set -- call not-last lock-kind leak root-lock flag-other kptr end-section
log=$(mktemp)
trap 'rm -f "$log"' EXIT
n=0 failed=0

for rule in "$@"; do
	n=$((n + 1))
	status=0
	"$rules" --without "$rule" --count "$programs" >"$log" 2>&1 || status=$?
	if grep -q '^1\.\.0 # SKIP' "$log"; then
		cat "$log"
		exit 0
	fi
	if [ $status = 1 ] && grep -q '^not ok 1 - verifier and rules agree' "$log"; then
		echo "ok $n - the verifier contradicts a simulation without rule $rule"
	else
		echo "not ok $n - nobody missed rule $rule in $programs programs"
		failed=1
	fi
done
echo "1..$n"
exit $failed
