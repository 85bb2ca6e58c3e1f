#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs inside the guest: guest-suites.sh KERNEL LIST, for run-suites.sh, which reads the lines
# that begin with "#@". One suite after another, each with its time limit, and what the kernel's
# log then shows is the fault of that suite. The guest ends with the first suite that may have
# changed it: one that failed, or that left processes or pinned objects behind.
here=$(dirname "$(readlink -f "$0")")
kernel=$1
# shellcheck source=selftests/vm/kernel-log.sh
. "$here/kernel-log.sh"
export COLUMNS=1000 CMOCKA_MESSAGE_OUTPUT=TAP NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1
TIMEFORMAT='%U %S'

# Whatever lives on after its suite is a child of init, or below one. The init of a guest does not
# wait for its children: a process that has ended stays there as a zombie, which does no harm unless
# some of its threads go on.
orphans() { ps -o pid=,stat= --ppid 1 | awk '$2 !~ /^Z[^l]*$/ { print $1 }'; }
pins() { find /sys/fs/bpf -mindepth 1 2>/dev/null; }

# The lines of stdin that are not in $1. Not with comm: <(...) would become a child of init.
lines_new() { grep -vxF -e "$1"; }

suite_run() {
	export TMPDIR=$base/suite
	mkdir -p "$TMPDIR"
	timeout -k 5 "$1" bash -c "$2" </dev/null 2>&1
}

# Waits for processes that are just about to end. Others end the guest.
orphans_check() {
	local new try=0
	while new=$(orphans | lines_new "$orphans") && [ -n "$new" ]; do
		[ $((try += 1)) -gt 20 ] || { sleep 0.1 && continue; }
		echo "guest-suites: processes that the suite left behind:"
		ps -o pid=,args= -p "${new//$'\n'/,}"
		return 1
	done
}

log_check() {
	local faults
	faults=$(dmesg | log_faults)
	[ -n "$faults" ] || return 0
	printf 'vm: the guest kernel complained:\n%s\n' "$faults"
	return 1
}

pins_check() {
	local new
	new=$(pins | lines_new "$pins")
	[ -n "$new" ] || return 0
	printf 'guest-suites: pinned objects that the suite left behind:\n%s\n' "$new"
	return 1
}

# Sets rc to what run.sh would say of a guest with this suite alone, and clean to whether another
# can follow it.
suite_check() {
	clean=1
	orphans_check || clean=0
	pins_check || clean=0
	log_check || { [ "$rc" != 0 ] || rc=126; }
	[ "$rc" = 0 ] || clean=0
	rm -rf "$base/suite"
}

base=${TMPDIR:-/tmp}
orphans=$(orphans) pins=$(pins)
while IFS=$'\t' read -r name limit until command <&3; do
	if [ "$until" != - ] && [ "$(date +%s)" -gt "$until" ]; then
		printf '\n#@late %s\n' "$name"
		continue
	fi
	printf '\n#@begin %s %s\n' "$name" "$limit"
	rc=0
	{ time suite_run "$limit" "$command" || rc=$?; } 2>"$base/times"
	suite_check
	printf '\n#@end %s %s %s\n' "$name" "$rc" "$(tail -n 1 "$base/times")"
	[ $clean = 1 ] || break
done 3<"$2"
exit 0
