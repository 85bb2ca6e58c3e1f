#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Write the series anew from build/linux-6.12: one patch per commit after `base`, series, BASE. The
# commits after the branch `lock` are its tests, in tests/. With SERIES=7.x/fixes: per commit of the
# branch `fixes` of build/linux-7.x after what it is applied on.
#   kernel-patches/regen.sh [--check]      --check: only say whether the series is that of the tree,
#                                          and so are those that it is applied on
# The same commits give the same bytes, so git shows what really changed.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

check=0
case ${1:-} in
--check) check=1 ;;
'') ;;
*) die "usage: regen.sh [--check]" 2 ;;
esac

# write_patches FOLDER COMMITS
write_patches() {
	mkdir -p "$1"
	git -C "$tree" -c core.abbrev=12 -c diff.algorithm=myers -c format.signOff=false format-patch -q \
		--no-signature --zero-commit --no-numbered --no-renames --no-thread --no-base --no-attach \
		--no-cover-letter --src-prefix=a/ --dst-prefix=b/ -o "$1" "$2"
	find "$1" -maxdepth 1 -name '0*.patch' -printf '%f\n' | sort >"$1/series"
}

write_base() {
	[ -z "$after" ] || { cat "$patches/BASE" && return; }
	sed '/^[a-z0-9]*:/d' "$patches/BASE"
	printf 'package: %s\n' "$(base_field package)"
	[ -z "$(base_field suite)" ] || printf 'suite: %s\n' "$(base_field suite)"
	printf 'version: %s\nsha256: %s\ntree: %s\n' \
		"$(git -C "$tree" config rqspin.version)" "$(git -C "$tree" config rqspin.sha256)" \
		"$(git -C "$tree" rev-parse 'base^{tree}')"
}

# On another source git names other versions of the files, and lines have moved.
same_patches() {
	local old=$patches skip=()
	if [ "$(git -C "$tree" config rqspin.sha256)" != "$(base_field sha256)" ]; then
		old=$new.old skip=(-x BASE)
		cp -r "$patches" "$old"
		find "$new" "$old" -name '0*.patch' -exec sed -i -E '/^index /d; s/^@@ .* @@.*/@@/' {} +
	fi
	diff -rq "${skip[@]}" -x configs -x README.md -x checkpatch-allow.txt -x cover.txt "$new" "$old"
}

need_tree
fixups=$(git -C "$tree" log --format=%s "$start..$branch" |
	grep -E '^(fixup|squash|amend)! ' || true)
[ -z "$fixups" ] ||
	die "there are fixups to fold in first: git -C $tree rebase -i --autosquash $start"
[ -z "$(git -C "$tree" status --porcelain -uno)" ] ||
	say "changes in $tree that are not committed are not in the series"
new=$(mktemp -d)
trap 'rm -rf "$new" "$new.old"' EXIT
last=$branch
if [ -d "$patches/tests" ]; then
	last=lock
	git -C "$tree" merge-base --is-ancestor lock "$branch" 2>/dev/null ||
		die "the branch lock, after which the tests come, is not in the series: remove an old tree, or
git -C $tree branch -f lock REV"
	write_patches "$new/tests" "lock..$branch"
fi
write_patches "$new" "$start..$last"
write_base >"$new/BASE"
if [ $check = 1 ]; then
	same_patches >&2 ||
		die "the series is not that of $tree: run make kernel-patches$(make_words), or
SERIES=$SERIES kernel-patches/tree.sh --anew, which applies the files"
	[ -z "$after" ] || SERIES=$after "$kp/regen.sh" --check
	exit
fi
find "$patches" -maxdepth 2 -name '0*.patch' -delete
cp -r "$new"/* "$patches/"
say "$(tree_files | wc -l) patches in kernel-patches/$SERIES"
