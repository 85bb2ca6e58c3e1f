#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mutants/run.sh [--edits] [NAME...]: break a copy of the lock, one way at a time, and see that a
# test of the lab finds it. mutants.txt has one line for each: name | file | sed script | command; a
# name with ! is an edit that no test may object to. --edits only sees that each edit still changes
# the lock, which takes a second.
# Environment: LAB (build/lab); without --edits also CC, CFLAGS, LIBS.
set -euo pipefail
here=$(dirname "$0")
passed=0 failed=0 edits=0
[ "${1:-}" != --edits ] || { edits=1 && shift; }
: "${LAB:?}" "${CC:=gcc}"
[ $edits = 1 ] || : "${CFLAGS:?}" "${LIBS:?}"
work=$LAB/mutants
[ $edits = 0 ] || work=$LAB/edits

# Each edit of the script must change something.
mutate() {
	local dir=$1 script=$3 edit same target=$1/kernel/bpf/$2
	rm -rf "$dir"
	mkdir -p "$dir" && cp -rL "$LAB/tree/kernel" "$dir/kernel" || return
	while [ -n "$script" ]; do
		edit=${script%%;;*} same=0
		cp "$target" "$dir/before" && sed -i -E "$edit" "$target" || return
		cmp -s "$dir/before" "$target" || same=$?
		[ $same = 1 ] || return 1
		[ "$script" != "$edit" ] || return 0
		script=${script#*;;}
	done
}

# link DIR PROGRAM CFLAG...: the program over the broken lock
link() {
	local dir=$1 program=$2
	shift 2
	# shellcheck disable=SC2086 # lists of words
	$CC $CFLAGS "$@" -w -no-pie "$dir"/kernel/bpf/rqspinlock*.c "$LAB"/obj/qspinlock.o \
		"$LAB"/obj/shim/*.o "$LAB"/obj/threads/lib/*.o "$LAB"/obj/locks/*.o "lab/tests/$program"/*.c \
		-o "$dir/$program" $LIBS
}

# An error of the test itself is no finding.
what_was_found() {
	local log=$1 status=$2
	case $status in
	124 | 137) echo "hangs" ;;
	139 | 134 | 132) echo "crashes" ;;
	*) grep -m1 -oE 'FAULT: .*|not ok .*' "$log" | tr -s ' ' | cut -c1-100 ;;
	esac
}

one() {
	local name=$1 file=$2 script=$3 command=$4 dir=$work/$1 program flags=() log status=0 why
	log=$dir.log
	if ! mutate "$dir" "$file" "$script"; then
		echo "not ok - $name: an edit changes nothing"
		return 1
	fi
	if [ $edits = 1 ]; then
		echo "ok - $name: changes $file"
		return 0
	fi
	# shellcheck disable=SC2206 # words on purpose
	command=($command)
	program=${command[0]}
	if [[ $program == *:* ]]; then
		flags=("-D${program#*:}")
		program=${program%%:*}
	fi
	link "$dir" "$program" "${flags[@]}" >"$log" 2>&1 || {
		echo "not ok - $name: does not compile, see $log"
		return 1
	}
	timeout -k 1 30 "$dir/$program" "${command[@]:1}" >"$log" 2>&1 || status=$?
	if [ "$harmless" = 1 ]; then
		[ $status = 0 ] && echo "ok - $name: harmless" && return 0
		echo "not ok - $name: should be harmless, see $log"
		return 1
	fi
	if [ $status = 0 ]; then
		echo "not ok - $name: lives through: $4"
		return 1
	fi
	if ! why=$(what_was_found "$log" $status); then
		echo "not ok - $name: exit code $status, and nothing found: see $log"
		return 1
	fi
	echo "ok - $name: $why"
}

while IFS='|' read -r -u 3 name file script command; do
	name=${name// /} harmless=0
	[[ $name != !* ]] || { name=${name#!} harmless=1; }
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	script=${script# } script=${script% } command=${command# } file=${file// /}
	if one "$name" "$file" "$script" "$command"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done 3< <(sed 's/^#.*//; /^$/d' "$here/mutants.txt")
echo
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
