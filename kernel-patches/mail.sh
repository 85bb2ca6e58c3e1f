#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Write a series as mails, from and signed off by the person who sends them.
#   [SERIES=7.x/fixes] kernel-patches/mail.sh FOLDER       then: git send-email FOLDER/*.patch
#   ... mail.sh [--prefix 'PATCH bpf-next'] FOLDER 9 16    only these patches, without cover letter
# The files of a series name no person. Who sends them vouches for them (Developer's Certificate of
# Origin), so both lines become those of git's user.name and user.email here, and without these
# nothing is written. The cover letter is made of the series' cover.txt: its first line is the
# prefix of all subjects (PATCH bpf), its second the cover letter's own subject, the text follows.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

usage="usage: [SERIES=NAME] mail.sh [--prefix PREFIX] FOLDER [NUMBER...]"
prefix=''
[ "${1:-}" != --prefix ] || { prefix=${2:-} && shift $(($# > 1 ? 2 : 1)); }
[[ ${1:--} != -* ]] || die "$usage" 2
out=$1
shift
numbers=("$@")

# Sets $placeholder to the name and address that all patches of the series have.
find_placeholder() {
	local all
	mapfile -t files < <(series_files)
	[ ${#files[@]} -gt 0 ] || die "$SERIES has no patches"
	all=$(cd "$patches" && sed -n '/^diff --git /q; s/^From: //p' "${files[@]/#/./}" | sort -u)
	[ "$(wc -l <<<"$all")" = 1 ] || die "patches of $SERIES are from several people:"$'\n'"$all"
	placeholder=$all
}

# With numbers `files` are only those patches.
choose_patches() {
	local n chosen=()
	[ ${#numbers[@]} -gt 0 ] || return 0
	for n in "${numbers[@]}"; do
		[[ $n =~ ^[1-9][0-9]*$ && $n -le ${#files[@]} ]] ||
			die "$SERIES has the patches 1 to ${#files[@]}, not '$n'" 2
		chosen+=("${files[n - 1]}")
	done
	files=("${chosen[@]}")
}

find_sender() {
	local name email
	name=$(git config user.name || true)
	email=$(git config user.email || true)
	if [ -z "$name" ] || [ -z "$email" ]; then
		die "mails need a sender: git config user.name 'YOUR NAME'; git config user.email YOU@HOST"
	fi
	[[ $email =~ ^[^@[:space:]\<\>]+@[^@[:space:]\<\>]+$ ]] || die "user.email '$email' is no address"
	sender="$name <$email>"
	[ "$email>" != "${placeholder##*<}" ] ||
		die "'$sender' is the series' placeholder, not a person: set git's user.name and user.email"
}

# mail_patch FILE NUMBER: what stands for a person in the head of the mail, and nothing of the diff.
mail_patch() {
	FROM=$placeholder TO=$sender SUBJECT="[$prefix $2/${#files[@]}]" awk '
		/^---$/ { body = 1 }
		body { print; next }
		$0 == "From: " ENVIRON["FROM"] { print "From: " ENVIRON["TO"]; next }
		$0 == "Signed-off-by: " ENVIRON["FROM"] { print "Signed-off-by: " ENVIRON["TO"]; next }
		/^Subject: \[PATCH\] / { sub(/^Subject: \[PATCH\]/, "Subject: " ENVIRON["SUBJECT"]) }
		{ print }' "$1"
}

mail_cover() {
	local width=${#files[@]} f
	width=${#width}
	printf 'From %s Mon Sep 17 00:00:00 2001\nFrom: %s\n' "$(printf '0%.0s' {1..40})" "$sender"
	printf 'Date: %s\n' "$(date -R)"
	printf 'Subject: [%s %0*d/%d] %s\n\n' "$prefix" "$width" 0 "${#files[@]}" \
		"$(sed -n 2p "$patches/cover.txt")"
	sed '1,2d' "$patches/cover.txt" | sed '1{/^$/d}'
	printf '\n%s (%d):\n' "${sender%% <*}" "${#files[@]}"
	for f in "${files[@]}"; do
		subject "$patches/$f" | sed 's/^/  /'
	done
	printf '\n'
	mail_stat
	printf -- '--\n'
}

# What the series changes, each file once. In a folder of a repository git apply leaves out what is
# not below it; below a ceiling it sees none.
mail_stat() {
	(cd "$patches" && GIT_CEILING_DIRECTORIES=$(dirname "$patches") \
		git apply --numstat "${files[@]}") | LC_ALL=C awk -F'\t' '
		{ plus[$3] += $1; minus[$3] += $2 }
		length($3) > width { width = length($3) }
		END {
			for (f in plus) {
				printf " %-*s | %d\n", width, f, plus[f] + minus[f] | "sort"
				n++; p += plus[f]; m += minus[f]
			}
			close("sort")
			printf " %d files changed, %d insertions(+), %d deletions(-)\n", n, p, m
		}'
}

# The subject of a patch, which may go on in the next line.
subject() {
	awk '/^Subject: / { sub(/^Subject: \[PATCH\] /, ""); s = $0; next }
		s && /^ / { s = s $0; next }
		s { print s; exit }' "$1"
}

write_mails() {
	local i=0 width=${#files[@]} f
	width=${#width}
	[ ${#numbers[@]} -gt 0 ] || [ ! -e "$patches/cover.txt" ] ||
		mail_cover >"$new/0000-cover-letter.patch"
	for f in "${files[@]}"; do
		i=$((i + 1))
		mail_patch "$patches/$f" "$(printf '%0*d' "$width" $i)" >"$new/$f"
	done
}

# The placeholder's address must be nowhere but in the diffs, and every mail has its sender twice.
check_mails() {
	local f address=${placeholder##*<}
	for f in "${files[@]}"; do
		if sed '/^---$/q' "$new/$f" | grep -qF "$address"; then
			die "$f still names ${placeholder%% <*} where a person must stand"
		fi
		sed '/^---$/q' "$new/$f" | grep -qxF "Signed-off-by: $sender" || die "$f is not signed off"
	done
}

[ ! -e "$out" ] || [ -z "$(find "$out" -name '*.patch' -print -quit)" ] ||
	die "$out has patches already: name another folder, or remove them"
find_placeholder
choose_patches
find_sender
[ -n "$prefix" ] || [ ! -e "$patches/cover.txt" ] || prefix=$(sed -n 1p "$patches/cover.txt")
prefix=${prefix:-PATCH}
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
write_mails
check_mails
mkdir -p "$out"
cp "$new"/*.patch "$out/"
say "${#files[@]} mails from $sender in $out: git send-email $out/*.patch"
