#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mail.sh: who is in the mails of each series, and when none are written. TAP; needs no tree.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
n=0 failed=0
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

# mails NAME EMAIL SERIES: as a person with that identity, or none.
mails() {
	rm -rf "$out/mails"
	rc=0
	(
		cd "$out"
		export GIT_CONFIG_GLOBAL=$out/config GIT_CONFIG_NOSYSTEM=1
		: >"$out/config"
		[ -z "$1" ] || git config -f "$out/config" user.name "$1"
		[ -z "$2" ] || git config -f "$out/config" user.email "$2"
		SERIES=$3 "$kp/mail.sh" "$out/mails"
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
done < <(series_names)
echo "1..$n"
echo "$((n - failed)) passed, $failed failed, 0 skipped"
[ $failed = 0 ]
