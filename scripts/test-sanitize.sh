#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unit tests and tests of the command on a build with sanitizers: those of input, output and
# signals, with --all every one that runs the command. What they find ends the command with code 99,
# which no test expects; leaks are not looked for, as a verb ends with its process.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=(bad_input escapes exact foreign_ring held_stat output signals)
case $* in
'') ;;
--all)
	# All but the tool in Python, what needs locktorture of a guest, and what types `make` as
	# the documents do, without sanitizers.
	mapfile -t tests < <(cd selftests/tool/cli && compgen -G 'test_*.py' | sort |
		sed 's/^test_//; s/\.py$//' | grep -vxE 'bcc|commands|tracepoint')
	[ ${#tests[@]} -gt 0 ]
	;;
*)
	echo "usage: test-sanitize.sh [--all]" >&2
	exit 2
	;;
esac

export O=build/sanitize
export ASAN_OPTIONS=detect_leaks=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1:exitcode=99
progs=$O/selftests/kernel/progs
objects=("$progs"/{aa,long_keys,plain_deadlock,queue_pair,queue_wait,timeout}.bpf.o)
for source in selftests/tool/{lines,rings}/*.bpf.c; do
	objects+=("$O/${source%.c}.o")
done
for events in selftests/tool/cli/replay/*.jsonl; do
	objects+=("$O/${events%.jsonl}/replay.bpf.o")
done
objects+=("$O"/selftests/tool/cli/{map,storage}_failures "$O/selftests/tool/refuse/refuse.so")
make -s -j2 SANITIZE=1 O=$O bpf user check-objects "${objects[@]}"
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if make -s -j2 SANITIZE=1 O=$O unit >"$log" 2>&1; then
	echo "ok - unit tests ($(tail -n 1 "$log"))"
else
	sed 's/^/# /' "$log" | tail -n 60
	echo "not ok - unit tests"
	failed=1
fi
tests=("${tests[@]/#/selftests/tool/cli/test_}")
.venv/bin/pytest -v -p no:cacheprovider "${tests[@]/%/.py}" || exit
exit $failed
