#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What tree.sh does with another 6.12.y: a part of the base, with changes as a later version might
# bring them, is unpacked and patched. TAP; needs build/linux-6.12.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
n=0 failed=0
# The first patch that the changes below get in the way of.
first=$(cd "$patches" && grep -l '^--- a/kernel/locking/qspinlock.c' 0*.patch | head -n 1)

check() {
	local what=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		sed 's/^/# /' "$out/err"
	fi
}

# Enough of the base for the series to apply to.
part_of_base() {
	local paths
	mapfile -t paths < <(git -C "$tree" diff --no-renames --diff-filter=MDT --name-only base HEAD)
	mkdir -p "$out/linux"
	git -C "$tree" archive base .gitignore Kbuild Makefile "${paths[@]}" | tar -C "$out/linux" -xf -
	tar -C "$out" -cf "$out/base.tar" linux
	sed -i 's/^SUBLEVEL = .*/SUBLEVEL = 999/' "$out/linux/Makefile"
}

unpack() {
	rm -rf "$out/tree"
	tar -C "$out" -cf "$out/linux.tar" linux
	rc=0
	"$kp/tree.sh" --source "$out/linux.tar" "$@" "$out/tree" >/dev/null 2>"$out/err" || rc=$?
}

commits() { git -C "$out/tree" rev-list --count base..HEAD; }
all_applied() { [ "$rc" = 0 ] && [ "$(commits)" = "$(tree_files | wc -l)" ]; }
says() { grep -q -- "$1" "$out/err"; }
merged() {
	all_applied && says 'not what the series was made on' &&
		grep -q 'a later version' "$out/tree/kernel/locking/qspinlock.c"
}
again_refused() {
	! "$kp/tree.sh" "$out/tree" >/dev/null 2>"$out/err" && says 'the series has more'
}
refused() {
	[ "$rc" = 1 ] && says "^kernel-patches: $first.*does not apply to Linux 6.12.999" &&
		says "$1" && [ "$(commits)" = $((10#${first%%-*} - 1)) ]
}

# Scripts find their tree beside them.
place_scripts() {
	mkdir -p "$out/top/build"
	cp -r "$kp" "$out/top/kernel-patches"
	ln -s "$out/tree" "$out/top/build/linux-$family"
}
agrees() { "$out/top/kernel-patches/regen.sh" --check >/dev/null 2>"$out/err"; }
disagrees() {
	git -C "$out/tree" reset -q --hard HEAD~
	! agrees && says 'the series is not that of'
}

# A fix must apply without the rest: a stable kernel may want it alone.
fixes_first() {
	local p other=''
	while read -r p; do
		if ! grep -qE '^Fixes: [0-9a-f]{12} \("' "$patches/$p"; then
			other=${other:-$p}
		elif [ -n "$other" ]; then
			echo "$p has Fixes: and comes after $other" >"$out/err"
			return 1
		fi
	done < <(tree_files)
	echo "no patch has Fixes:" >"$out/err"
	[ "$other" != "$(tree_files | head -n 1)" ]
}

check "fixes of the base come first" fixes_first
if ! git -C "$tree" rev-parse -q --verify base >/dev/null 2>&1; then
	n=$((n + 1))
	printf 'ok %d - another 6.12.y # SKIP no tree: run make kernel-tree\n1..%d\n' $n $n
	echo "$((n - 1 - failed)) passed, $failed failed, 1 skipped"
	exit $((failed > 0))
fi
# Another 6.12.y below it makes other context lines.
[ "$(git -C "$tree" rev-parse "base^{tree}")" != "$(base_field tree)" ] ||
	check "the series is that of the tree" "$kp/regen.sh" --check
check "the mutants of selftests/kernel/lock apply to it" \
	sh -c "git -C '$tree' apply --check '$kp/../selftests/kernel/lock/mutants.patch' 2>'$out/err'"
part_of_base
unpack
check "the files of the base get every patch" all_applied

# Between the lines of a hunk's context, where a plain patch would not find its place.
f=$out/linux/kernel/locking/qspinlock.c
cp "$f" "$out/saved"
sed -i 's|^#include "mcs_spinlock.h"|/* a later version */\n&|' "$f"
unpack
check "changed surroundings without the base: patch, file and fix are named" \
	refused '--base TARBALL merges'
check "a tree with part of the series is not taken for whole" again_refused
unpack --base "$out/base.tar"
check "changed surroundings are merged three ways" merged

cp "$out/saved" "$f"
sed -i 's|^#define MAX_NODES	4|#define MAX_NODES	5|' "$f"
unpack --base "$out/base.tar"
check "a real conflict names patch and file, and leaves the base" \
	refused 'conflict in kernel/locking/qspinlock.c'

cp "$out/saved" "$f"
sed -i '1i/* a later version */' "$f"
unpack
check "lines of another source have moved" all_applied
place_scripts
check "the series is that of another source's tree" agrees
check "a commit less, and it is not" disagrees

echo "1..$n"
echo "$((n - failed)) passed, $failed failed, 0 skipped"
[ $failed = 0 ]
