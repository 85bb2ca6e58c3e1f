#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mail.sh: who is in the mails of each series, and when none are written. TAP; needs no tree.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
n=0 failed=0 prefix=()
placeholder_of() { sed -n 's/^From: .*<\(.*\)>$/\1/p' "$1" | head -n 1; }

check() {
	local what=$1
	shift
	n=$((n + 1))
	if "$@" >>"$out/err" 2>&1; then
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		sed 's/^/# /' "$out/err"
	fi
}

# mails NAME EMAIL SERIES [NUMBER...]: as a person with that identity, or none.
mails() {
	rm -rf "$out/mails"
	rc=0
	(
		cd "$out"
		export GIT_CONFIG_GLOBAL=$out/config GIT_CONFIG_NOSYSTEM=1
		: >"$out/config"
		[ -z "$1" ] || git config -f "$out/config" user.name "$1"
		[ -z "$2" ] || git config -f "$out/config" user.email "$2"
		SERIES=$3 "$kp/mail.sh" "${prefix[@]}" "$out/mails" "${@:4}"
	) >/dev/null 2>"$out/err" || rc=$?
}

refused() { [ "$rc" = 1 ] && grep -q "$1" "$out/err" && [ ! -e "$out/mails" ]; }
heads() { for f in "$out"/mails/0*.patch; do sed '/^---$/q' "$f"; done; }
count() { grep -cxF -- "$1" || true; }
# Every patch is from the sender and signed off; a cover letter is from the sender.
is_from() {
	local patches=$1 mails
	mails=$(find "$out/mails" -name '*.patch' | wc -l)
	[ "$rc" = 0 ] && [ "$(heads | count "From: $2")" = "$mails" ] &&
		[ "$(heads | count "Signed-off-by: $2")" = "$patches" ]
}
nobody_else() { ! heads | grep -qF "$1"; }
diffs_unchanged() {
	local f
	for f in "$out"/mails/0*.patch; do
		[ "${f##*/}" != 0000-cover-letter.patch ] || continue
		cmp <(sed '1,/^---$/d' "$f") <(sed '1,/^---$/d' "$kp/$1/${f##*/}") || return 1
	done
}
# The cover letter, if there is one, says of each changed file how many lines change.
cover_counts() {
	local cover=$out/mails/0000-cover-letter.patch f
	[ -e "$kp/$1/cover.txt" ] || return 0
	while read -r f; do
		grep -qE "^ $f +\| [1-9]" "$cover" || return 1
	done < <(sed -n 's|^+++ b/||p' "$kp/$1"/0*.patch | sort -u)
	grep -qE '^ [1-9][0-9]* files changed, [1-9][0-9]* insertions' "$cover"
}
numbered() { heads | grep -qE "^Subject: \[PATCH[^]]* 0*$1/$1\]"; }

while read -r series; do
	patches=$(series_files "$series" | wc -l)
	[ "$patches" -gt 0 ] || continue
	address=$(placeholder_of "$kp/$series/$(series_files "$series" | head -n 1)")
	mails '' '' "$series"
	check "$series: nobody sends nothing" refused "git config user.name"
	mails 'A. Person' '' "$series"
	check "$series: an address is needed" refused "git config user.email"
	mails 'A. Person' 'nowhere' "$series"
	check "$series: an address that is none" refused "is no address"
	mails 'A. Person' "$address" "$series"
	check "$series: the placeholder is no sender" refused "placeholder"
	# What a pattern or awk would take for its own.
	mails 'A. & Pérson \1' 'a+b@person.example' "$series"
	check "$series: all are from the sender, and signed off" \
		is_from "$patches" 'A. & Pérson \1 <a+b@person.example>'
	check "$series: the placeholder is gone" nobody_else "$address"
	check "$series: changes are those of the series" diffs_unchanged "$series"
	check "$series: the last one has its number" numbered "$patches"
	check "$series: the cover letter counts the changes" cover_counts "$series"
done < <(series_names)
prefix=(--prefix 'PATCH net')
mails 'A. Person' a@person.example 7.x/fixes 9 16
check "a group: two mails, from the sender" is_from 2 'A. Person <a@person.example>'
check "a group: its own numbers and prefix" \
	grep -q '^Subject: \[PATCH net 2/2\] ' "$out"/mails/0016-*
check "a group: no cover letter" [ ! -e "$out/mails/0000-cover-letter.patch" ]
prefix=()
mails 'A. Person' a@person.example 7.x/fixes 9 99
check "a group: a patch that is not there" grep -q "not '99'" "$out/err"
echo "1..$n"
echo "$((n - failed)) passed, $failed failed, 0 skipped"
[ $failed = 0 ]
