#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build what maps.py --clock wall boots: 6.12 without and with the series, as it is, and with the
# code of hashtab.c and what the linker puts behind it moved by BYTES (6.12-rqspin-base-movedBYTES,
# 6.12-rqspin-lean-movedBYTES).
#   selftests/kernel/bench/layouts.sh [BYTES...]      (208 1456 2416 3696)
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/../../../kernel-patches/common.sh"

file=kernel/bpf/hashtab.c
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A commit on top of another, without touching the tree; git forgets it some day.
moved() (
	set -e
	export GIT_INDEX_FILE=$tmp/index
	local pad blob
	pad="asm(\".pushsection .text,\\\\\"ax\\\\\"; .skip $2, 0xcc; .popsection\");"
	blob=$(git -C "$tree" show "$1:$file" | sed "0,/^#define HTAB_CREATE_FLAG_MASK/s//$pad\n&/" |
		git -C "$tree" hash-object -w --stdin)
	git -C "$tree" read-tree "$1"
	git -C "$tree" update-index --cacheinfo "100644,$blob,$file"
	! git -C "$tree" diff --cached --quiet "$1" || die "cannot move the code of $file in $1"
	git -C "$tree" commit-tree -p "$1" -m "code of $file moved by $2 bytes" \
		"$(git -C "$tree" write-tree)"
)

[ $# -gt 0 ] || set -- 208 1456 2416 3696
for bytes; do
	[[ $bytes =~ ^[1-9][0-9]*$ ]] ||
		die "layouts.sh: '$bytes' is no number of bytes; usage: layouts.sh [BYTES...]" 2
done
need_tree
for bytes; do
	commit=$(moved base "$bytes")
	"$kp/build.sh" --commit "$commit" --as base --result "base-moved$bytes" lean
	commit=$(moved HEAD "$bytes")
	"$kp/build.sh" --commit "$commit" --result "lean-moved$bytes" lean
done
# Last, so that the objects are those of the series.
"$kp/build.sh" --commit base --as base lean
"$kp/build.sh" lean
