#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On the patched kernel, as root: guest.sh SECONDS PARTS, a list of kunit,torture,provoke,stress.
# One line for each test, ok or not ok, without numbers; comments after it show why a test failed.
# Exit status: 1 a test failed, 2 usage, 3 not this project's kernel.
debugfs=/sys/kernel/debug
part='(kunit|torture|provoke|stress)'
if [ $# != 2 ] || ! [[ $1 =~ ^[1-9][0-9]*$ && $2 =~ ^$part(,$part)*$ ]]; then
	sed -n '3,5s/^# //p' "$0" >&2
	exit 2
fi
if ! modprobe -n rqspinlock_stress 2>/dev/null || [ ! -d $debugfs ]; then
	echo "guest.sh: no module rqspinlock_stress, or no debugfs: is this the patched kernel, with its" \
		"tests as modules?" >&2
	exit 3
fi
seconds=$1 parts=,$2,
COMPLAINTS='\bBUG\b|\bWARNING\b|lockdep is turned off|KCSAN|KASAN|UBSAN|hung|detected stall'
COMPLAINTS+='|Oops|lockup|INFO: (possible|inconsistent|trying)'
failures=0

result() {
	local ok=ok
	[ "$1" = 0 ] || { ok='not ok' failures=$((failures + 1)); }
	printf '%s - %s\n' "$ok" "$2"
	[ "$1" = 0 ] || printf '# %s\n' "${3//$'\n'/$'\n# '}"
}

skip() { printf 'ok - %s # SKIP %s\n' "$1" "$2"; }

want() { [[ $parts = *,$1,* ]]; }

load() {
	local out
	out=$(modprobe "$@" 2>&1) && return 0
	result 1 "$1 is loaded" "$out"
	return 1
}

# The kernel's log from the last mark on.
mark() { echo "<6>rqspin-lock: $1" >/dev/kmsg; }
since() { dmesg | awk -v m="rqspin-lock: $1" 'index($0, m) { on = 1; next } on'; }

# What stands between the line before and the line $1.
said_before() {
	awk -v end="$1" 'index($0, end) { printf "%s", text; exit }
		/^ *(not )?ok / { text = ""; next } { text = text $0 "\n" }'
}

# KUnit's own lines become ours: "    not ok 3 rqt_aa # SKIP why".
kunit() {
	local all line name lines=0
	load rqspinlock_kunit || return
	all=$(cat $debugfs/kunit/rqspinlock/results 2>&1)
	while read -r line; do
		[[ $line =~ ^(ok|not\ ok)\ [0-9]+\ (rqt_[a-z0-9_]+)(.*) ]] || continue
		lines=$((lines + 1)) name="kunit ${BASH_REMATCH[2]#rqt_}"
		case ${BASH_REMATCH[1]},${BASH_REMATCH[3]} in
		ok,*SKIP*) skip "$name" "${BASH_REMATCH[3]#*SKIP }" ;;
		ok,*) result 0 "$name" ;;
		*) result 1 "$name" "$(said_before "$line" <<<"$all")" ;;
		esac
	done <<<"$all"
	sed -n 's/^ *# rqt_\(.*: found after .*\)/# kunit \1/p' <<<"$all"
	[ $lines -gt 0 ] || result 1 kunit "no results: $all"
	modprobe -r rqspinlock_kunit
}

provocations() {
	if [ "$(nproc)" -ge 3 ]; then echo aa,abba,cycle,stall; else echo aa,abba,stall; fi
}

# The module judges; here its judgement must have come, about a run that did something.
torture() {
	local type=$1 provoke=$2 name="locktorture $1${2:+ provoking $2}" log bad=0
	mark "$name"
	load locktorture torture_type="$type" res_provoke="$provoke" stat_interval=15 verbose=0 || return
	sleep "$seconds"
	modprobe -r locktorture || bad=1
	log=$(since "$name")
	grep -q 'End of test: SUCCESS' <<<"$log" || bad=1
	grep -Eq 'Writes: +Total: [1-9]' <<<"$log" || bad=1
	grep -q 'False errors:' <<<"$log" || bad=1
	[ -z "$provoke" ] || grep -q 'Provoked/diagnosed:' <<<"$log" || bad=1
	result $bad "$name" "$log"
	grep -E 'Writes: |False errors|Provoked' <<<"$log" | tail -n 3 | sed 's/^\[[^]]*\] */# /'
}

stress() {
	local n=$1 name="stress parties=$1" verdict
	[ "$n" -le "$(nproc)" ] || { skip "$name" "needs $n CPUs"; return; }
	load rqspinlock_stress parties="$n" || return
	sleep "$seconds"
	verdict=$(cat $debugfs/rqspinlock_stress/verdict)
	modprobe -r rqspinlock_stress
	grep -qx 'verdict: PASS' <<<"$verdict"
	result $? "$name" "$verdict"
	paste -sd ' ' <<<"$verdict" | sed 's/^/# /'
}

"$(dirname "$(readlink -f "$0")")/../../vm/watch-races.sh" || exit
mark begin
want kunit && kunit
for type in raw_res_spin_lock raw_res_spin_lock_irq; do
	want torture && torture $type ''
	want provoke && torture $type "$(provocations)"
done
if want stress; then
	for n in 0 1 2 3 4; do stress $n; done
fi
complaints=$(since begin | grep -E "$COMPLAINTS" |
	grep -vE 'ommand line:|rqspin-lock:|virtme-ng-init')
[ -z "$complaints" ]
result $? "kernel log" "$complaints"
[ $failures = 0 ]
