#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh KERNEL: boots KERNEL, which must hang in head (README.md of selftests). Exit 0 if it does:
# if head says so, or if a guest that has begun a round is silent for much longer than head waits
# for the end of one.
set -euo pipefail
cd "$(dirname "$0")/../../.."
usage='usage: selftests/kernel/head/run.sh KERNEL  (a folder of build/kernels that hangs in head)'
case ${1:--} in
-h | --help) echo "$usage" && exit 0 ;;
-*) echo "$usage" >&2 && exit 2 ;;
esac
kernel=$1
# The guest may boot on the third try. A round takes about a second, and 10 s are a hang. The guest
# has a time limit that 60 rounds and the silence after one of them cannot reach.
boot_s=600 silence_s=60

says() {
	echo "$2 - interrupted head$3"
	printf '%s\n' "$1"
}

exec {guest}< <(exec selftests/vm/run.sh --kernel "$kernel" --cpus 5 --timeout 700 -- \
	build/selftests/kernel/head/head --rounds 60 --expect-hang)
pid=$!
trap 'kill $pid 2>/dev/null || true' EXIT
line='' told='' patience=$boot_s read=0
while :; do
	# Of a loop's condition bash forgets the status.
	IFS= read -r -t "$patience" -u "$guest" line || { read=$? && break; }
	echo "$line"
	case $line in
	'# round '*) patience=$silence_s ;;
	# Such a guest cannot be taken down any more.
	'ok 1 - interrupted head: this kernel hangs') told=1 ;;
	*' passed, '*) [ -z "$told" ] || break ;;
	esac
done
[ -z "$told" ] || exit 0
if [ $read -gt 128 ] && [ $patience = $silence_s ]; then
	says '1 passed, 0 failed, 0 skipped' 'ok 1' ': this kernel hangs, and the guest with it'
	exit 0
fi
rc=0
wait $pid || rc=$?
case $rc in
3)
	says '0 passed, 0 failed, 1 skipped' 'ok 1' " # SKIP there is no kernel $kernel here"
	exit 0
	;;
0 | 1 | 2) exit $rc ;;
esac
says '0 passed, 1 failed, 0 skipped' 'not ok 1' ": the guest ended with $rc"
exit 1
