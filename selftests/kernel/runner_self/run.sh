#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does the runner of the kernel-facing tests tell the truth? Its verdicts, its
# exit status and its options are compared with what they must be.
set -uo pipefail

build=${RQSPIN_BUILD:-build}
runner=$build/selftests/kernel/runner_self/test_runner
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nr=0 passed=0 failed=0

check() { # name, command...
	local name=$1
	shift
	nr=$((nr + 1))
	if "$@" >"$tmp/log" 2>&1; then
		passed=$((passed + 1))
		echo "ok $nr - $name"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$tmp/log"
		echo "not ok $nr - $name"
	fi
}

exits() { # status, command...
	local want=$1 got=0
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" || got=$?
	echo "exit status $got, expected $want"
	[ "$got" -eq "$want" ]
}

verdict() { # test, regular expression of its line
	"$runner" -t "$1" >"$tmp/out" 2>&1
	cat "$tmp/out"
	grep -qE "^$2" "$tmp/out"
}

closing() { grep -qx "$1" "$tmp/out"; }

[ -x "$runner" ] || {
	echo "runner_self: $runner is missing; run make selftests" >&2
	exit 1
}
if ! grep -qw bpf_res_spin_lock /proc/kallsyms || [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP needs root and a kernel with bpf_res_spin_lock (6.15 or later)"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

for t in fails fails_then_skips checks_nothing hangs crashes leaves; do
	check "self/$t fails" verdict "self/$t" "not ok 1 - self/$t\$"
done
check "self/passes passes" verdict self/passes "ok 1 - self/passes\$"
check "a skip gives its reason" verdict self/skips "ok 1 - self/skips # SKIP a reason\$"
check "too few CPUs is a skip" verdict self/wants_cpus \
	"ok 1 - self/wants_cpus # SKIP .*1048576 needed\$"
check "a hang is told from a crash" verdict self/hangs "# killed after 1 s"
check "a crash names its signal" verdict self/crashes "# died of signal 6"
for t in accepted_but_tagged_refused refused_with_another_message \
	refused_with_a_message_that_no_expression_matches refused_but_tagged_accepted \
	returns_another_value unknown_tag refused_though_the_kernel_can \
	accepted_though_the_kernel_cannot refused_without_the_capability_with_another_message \
	unknown_capability; do
	check "declared/$t fails" verdict "declared/$t" "not ok 1 - declared/$t\$"
done
check "a declared value is compared" verdict declared/returns_the_value "ok 1 - "
for t in accepted_as_the_kernel_can refused_as_the_kernel_cannot; do
	check "declared/$t passes" verdict "declared/$t" "ok 1 - "
done
check "a missing kfunc is a skip" verdict declared/wants_a_kfunc "ok 1 - .* # SKIP .*no_such_kfunc"
check "a failure gives status 1" exits 1 "$runner"
check "the closing line counts" closing "4 passed, 16 failed, 3 skipped"
check "the plan counts" closing "1\.\.23"
check "no failure gives status 0" exits 0 "$runner" -t self/passes -t self/skips
check "the closing line of that run" closing "1 passed, 0 failed, 1 skipped"
check "a filter without a match gives status 2" exits 2 "$runner" -t 'nothing/*'
check "an unknown option gives status 2" exits 2 "$runner" --nonsense
check "a stray argument gives status 2" exits 2 "$runner" self/passes
check "a bad time scale gives status 2" exits 2 "$runner" -s fast
check "a missing folder gives status 1" exits 1 "$runner" -d "$tmp/none"
check "that error names the fix" grep -q "run make selftests" "$tmp/err"
check "the list has every test and no verdict" exits 0 "$runner" --list
check "twenty-three names" test "$(wc -l <"$tmp/out")" -eq 23
echo "1..$nr"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
