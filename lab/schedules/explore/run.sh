#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh PROGRAM: every lock to compare with under every schedule within bounds, and the wrong ones,
# which must be found out. A script is what one CPU does: lab/schedules/mc/README.md.
set -euo pipefail
usage='usage: lab/schedules/explore/run.sh build/lab/lab-sched     (make lab builds and runs it)'
case ${1:--} in
-h | --help) echo "$usage" && exit 0 ;;
-*) echo "$usage" >&2 && exit 2 ;;
esac
program=$1
passed=0 failed=0

# expect OUTCOME LOCK ARGUMENT...: the outcome, or the beginning of what is said of a failure
expect() {
	local want=$1 lock=$2 out last
	shift 2
	out=$(timeout 900 "$program" --quiet --time 5 --lock "$lock" "$@") || true
	last=${out##*$'\n'}
	if [[ $last == "$want "* || $out == *"failure: $want"* ]]; then
		passed=$((passed + 1))
		echo "ok - $lock $*"
	else
		failed=$((failed + 1))
		echo "not ok - $lock $*: not $want: $last"
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
# Cycles of 2, 3 and 4 members, and none; a bystander, whom a verdict would be false for.
expect EXHAUSTED cycles -p 3 AB.ba BA.ab
expect EXHAUSTED cycles -p 2 AB.ba BC.cb CA.ac
expect EXHAUSTED cycles -p 1 AB.ba BC.cb CD.dc DA.ad
expect EXHAUSTED cycles -p 2 AB.ba BC.cb AC.ca
expect EXHAUSTED cycles -p 2 AB.ba BA.ab A.a
expect "missed cycle" cycles-pairs -p 1 AB.ba BC.cb CA.ac
expect "false verdict" cycles-all-leave -p 3 AB.ba BA.ab
# A member stops to wait, and holds its lock again, before the next one begins to.
again=(-p 2 --time 25 AB.ba 'BC.cbB!b' 'C!cCA.ac')
expect EXHAUSTED cycles "${again[@]}"
expect "false verdict" cycles-one-look "${again[@]}"
# An interrupt that waits on top of an attempt, a lock that is held, or one that was released.
irq=(--irq Bb --irqs 1 --irq-cpu 0 Aa)
expect EXHAUSTED cycles -p 2 "${irq[@]}" BA.ab
expect EXHAUSTED cycles -p 1 --time 25 "${irq[@]}" 'B!A.ab' 'A!a'
expect "false verdict" cycles-attempts-held -p 1 "${irq[@]}" 'B!A.ab' 'A!a'
expect "false verdict" cycles-first-entry -p 1 "${irq[@]}" 'B!A.ab' 'A!a'
expect "false verdict" cycles-free-held -p 2 --time 25 "${irq[@]}" 'B!A.ab' 'A!a'
# An attempt with the pending bit below an interrupt that waits, when the owner has left.
late=(--irq Bb --irq Aa --irqs 2 'A!a' Aa 'B!b')
expect EXHAUSTED cycles -p 0 --time 25 "${late[@]}"
expect "missed cycle" cycles-no-stages -p 0 "${late[@]}"
# By lot, with more CPUs: the lock is handed on while the tables are read.
lot=(--random 4 --seed 1 -p 99 --irq Bb --irqs 1 --irq-cpu 0 AaAa BA.abBA.ab AaAa AaAa)
expect ok cycles "${lot[@]}"
expect "false verdict" cycles-once "${lot[@]}"
expect "false verdict" cycles-below "${lot[@]}"
expect FAILED wrong-two-steps -p 2 A.a A.a
expect FAILED wrong-no-release -p 2 A.a A.a
expect FAILED wrong-order -p 2 .A.a .A.a .A.a
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
