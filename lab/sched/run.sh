#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh PROGRAM: every lock to compare with under every schedule within bounds, and the wrong ones,
# which must be found out. A script is what one CPU does: model/mc/README.md.
set -euo pipefail
program=${1:?usage: run.sh PROGRAM}
passed=0 failed=0

# expect OUTCOME LOCK ARGUMENT...
expect() {
	local want=$1 lock=$2 out
	shift 2
	out=$(timeout 60 "$program" --quiet --time 5 --lock "$lock" "$@" | tail -n 1) || true
	if [[ $out == "$want "* ]]; then
		passed=$((passed + 1))
		echo "ok - $lock $*"
	else
		failed=$((failed + 1))
		echo "not ok - $lock $*: not $want: $out"
		echo "  $program --lock $lock $*"
	fi
}

# The step in front lets a CPU come when others wait already.
# Exclusion, an end of every wait, order where it is promised, nothing left behind.
for lock in qspinlock queued-cmpxchg queued-store cna cna-2-sockets unfair test-and-set ticket \
	ticket-10x ticket-auto held-table; do
	expect EXHAUSTED $lock -p 4 .A.aA.a .A.aB.b
	expect EXHAUSTED $lock -p 3 .A.a .A.a .A.a
	expect EXHAUSTED $lock -p 1 .A.a .A.a .A.a .A.a
done
# A loop that turns once more without a reason comes to the halts behind it.
# Two at a time in the second queue take four CPUs.
expect EXHAUSTED cna-2-sockets -p 2 .A.a .A.a .A.a .A.a
for lock in pv-queued pv-hybrid; do
	expect EXHAUSTED $lock --respin -p 4 A.aA.a A.a
	expect EXHAUSTED $lock --respin -p 2 A.a A.a A.a
	expect ok $lock --respin --random 0.3 --seed 1 -p 99 .A.aA.a .A.aB.b .B.bA.a .A.aA.a
done
expect EXHAUSTED held-table -p 3 AB.ba BA.ab
expect EXHAUSTED held-table -p 2 AA.a A.a
expect EXHAUSTED held-table -p 1 A~a A.a A.a A.a
# The head claims the lock while an NMI has the pending bit for an instant, and leaves.
expect FAILED claim-waits -p 5 --time 50 --nmi Aa --nmis 1 --irq-cpu 0 Aa AaAa Aa
expect EXHAUSTED claim-takes-back -p 5 --time 55 --nmi Aa --nmis 1 --irq-cpu 0 Aa AaAa Aa
expect FAILED wrong-two-steps -p 2 A.a A.a
expect FAILED wrong-no-release -p 2 A.a A.a
expect FAILED wrong-order -p 2 .A.a .A.a .A.a
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
