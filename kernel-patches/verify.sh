#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is the series fit to be sent? Prints TAP. For a fresh tree: the series applies to the base; then,
# patch by patch, checkpatch --strict is silent, every folder it touches compiles on x86 (with and
# without paravirt) and arm64, files that the series adds do so at W=1, and kernel-doc is content.
#   kernel-patches/verify.sh [--from N] [--to N]      leave out the patches before and after these
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

# FILE_PATH_CHANGES asks about MAINTAINERS, where kernel/locking/ and kernel/bpf/ are as folders.
IGNORE=FILE_PATH_CHANGES
VARIANTS='x86_64/lean x86_64/noparavirt arm64/arm64'
work=$top/build/kernel-verify
[ "$branch" = HEAD ] || work+=-$family-$branch
src=$work/src
from=1 to='' n=0 passed=0 failed=0
usage='usage: verify.sh [--from N] [--to N]'
while [ $# -gt 0 ]; do
	[[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "$usage" 2
	case $1 in
	--from) from=$2 ;;
	--to) to=$2 ;;
	*) die "$usage" 2 ;;
	esac
	shift 2
done

# What a check printed is the reason of its failure, whatever it returned.
result() {
	n=$((n + 1))
	if [ "$2" = 0 ] && [ ! -s "$work/log" ]; then
		passed=$((passed + 1))
		echo "ok $n - $1"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1"
		head -n 40 "$work/log" | sed 's/^/# /'
	fi
}

check() {
	local what=$1 rc=0
	shift
	"$@" >"$work/log" 2>&1 || rc=$?
	result "$what" $rc
}

# A tree of its own, with the objects of the main one: only what git knows gets in. What the series
# is applied on comes first; $first is its last commit.
apply() {
	local name p
	rm -rf "$src"
	git -C "$tree" worktree prune
	# twice: a killed run may have left it locked
	git -C "$tree" worktree add -q --force --force --detach "$src" base
	while read -r name; do
		git -C "$src" rev-parse HEAD >"$work/first"
		while read -r p; do
			git -C "$src" am -q --keep-non-patch "$kp/$name/$p" ||
				{ echo "$name/$p does not apply"; return 1; }
		done < <(tree_files "$name")
	done < <(series_chain "$SERIES")
}

touched() { git -C "$src" diff --no-renames --diff-filter="$2" --name-only "$1^" "$1"; }

# Complaints go to the file of all, too; those of checkpatch-allow.txt do not count.
checkpatch() {
	# The system's Python has the modules that the licence check needs.
	(cd "$src" && PATH=/usr/bin:$PATH \
		perl scripts/checkpatch.pl --strict --quiet --terse --no-summary \
		--showfile --show-types --ignore "$IGNORE" -g "$1") >"$work/complaints" || true
	cat "$work/complaints" >>"$work/all-complaints"
	grep -vE -f <(allowed) "$work/complaints" || true
}

allowed() {
	[ ! -e "$patches/checkpatch-allow.txt" ] || grep -v '^#' "$patches/checkpatch-allow.txt"
}

no_stale_allowance() {
	local re
	while read -r re; do
		grep -qE -e "$re" "$work/all-complaints" || echo "nothing needs: $re"
	done < <(allowed)
}

# The folders with objects in them among those a commit touches. A header's users are those in
# kernel/locking/ and kernel/bpf/.
folders() {
	touched "$1" AM | grep -E '\.(c|h)$|/(Makefile|Kconfig)$' |
		grep -vE '^(Documentation|tools|samples)/' |
		while read -r f; do
			case $f in
			arch/"$2"/include/* | include/*) printf '%s\n' kernel/locking/ kernel/bpf/ ;;
			arch/*/include/*) ;;
			arch/"$2"/* | [!a]*) echo "${f%/*}/" ;;
			esac
		done | sort -u
}

# Files that the series adds so far, of those folders. kbuild makes an object at W=1 only when it is
# not up to date, so these go first.
added_objects() {
	local f
	git -C "$src" diff --diff-filter=A --name-only "$first" "$1" -- '*.c' | while read -r f; do
		grep -qxF "${f%/*}/" <<<"$2" && echo "${f%.c}.o"
	done || true
}

compile() {
	local rev=$1 variant=$2 dirs objects
	export ARCH=${variant%/*}
	obj=$work/$variant
	dirs=$(folders "$rev" "${ARCH/x86_64/x86}")
	BISECT=1 "$kp/config.sh" "$src" "$obj" "${variant#*/}" || return 1
	objects=$(added_objects "$rev" "$dirs")
	# shellcheck disable=SC2086 # lists of words
	{
		kmake "$src" "$obj" KCFLAGS=-Werror $dirs || return 1
		objects=$(existing $objects)
		[ -z "$objects" ] || {
			(cd "$obj" && rm -f $objects)
			kmake "$src" "$obj" W=1 KCFLAGS=-Werror $objects
		}
	}
}

# What the folders' Makefiles and the configuration really built.
existing() {
	local o
	for o; do
		[ ! -e "$obj/$o" ] || echo "$o"
	done
}

# Complaints about the files that a commit touches, as they are in the commit $1, without places.
doc_complaints() {
	local f
	git -C "$src" checkout -q --detach "$1"
	while read -r f; do
		[ ! -e "$src/$f" ] || (cd "$src" && scripts/kernel-doc -none -Wall "$f" 2>&1) || true
	done <"$work/touched" | sed -E 's/:[0-9]+/:/g' | sort -u
}

# Only what the commit adds to the complaints is its own. The comments of tools/ are not kernel-doc.
kernel_doc() {
	perl -c "$src/scripts/kernel-doc" >/dev/null 2>&1 || { echo "kernel-doc does not run"; return 1; }
	touched "$1" AM | grep -E '\.(c|h)$' | grep -v '^tools/' >"$work/touched" || true
	[ -s "$work/touched" ] || return 0
	doc_complaints "$1^" >"$work/doc.before"
	doc_complaints "$1" >"$work/doc.after"
	comm -13 "$work/doc.before" "$work/doc.after"
}

# What sparse says of the objects $2 in the commit $1, without places. It reads the headers of the
# kernel in its own way, so most complaints are older than the series. It wants a declaration of
# each global function, but BPF programs call kfuncs, and nothing declares these.
sparse_complaints() {
	git -C "$src" checkout -q --detach "$1"
	# shellcheck disable=SC2086 # a list of words
	kmake "$src" "$obj" C=2 $2 >"$work/sparse.log" 2>&1 || { cat "$work/sparse.log" >&2; return 1; }
	sed -E 's/:[0-9]+:[0-9]+:/:/g' "$work/sparse.log" |
		{ grep -vF -f <(kfunc_complaints) || true; } | sort -u
}

kfunc_complaints() {
	git -C "$src" grep -hoE '^__bpf_kfunc [^(]*\(' -- kernel/bpf |
		sed -E "s/.*[ *](\w+)\($/symbol '\1' was not declared/"
}

sparse() {
	local objects before
	obj=$work/x86_64/lean
	export ARCH=x86_64
	# shellcheck disable=SC2046 # a list of words
	objects=$(existing $(touched "$1" AM | sed -n 's/\.c$/.o/p'))
	[ -n "$objects" ] || return 0
	before=$(git -C "$src" diff --diff-filter=A --name-only "$1^" "$1" | sed -n 's/\.c$/.o/p')
	before=$(grep -vxF -e "${before:-none}" <<<"$objects" | paste -sd ' ')
	: >"$work/sparse.before"
	[ -z "$before" ] || sparse_complaints "$1^" "$before" >"$work/sparse.before" || return
	sparse_complaints "$1" "$(paste -sd ' ' <<<"$objects")" >"$work/sparse.after" || return
	comm -13 "$work/sparse.before" "$work/sparse.after"
}

verify_patch() {
	local rev=$1 title v arch
	title=$(git -C "$src" log -1 --format=%s "$rev")
	git -C "$src" checkout -q --detach "$rev"
	check "$2 $title: checkpatch" checkpatch "$rev"
	for v in $VARIANTS; do
		arch=${v%/*}
		[ -z "$(folders "$rev" "${arch/x86_64/x86}")" ] ||
			check "$2 $title: compiles ($v)" compile "$rev" "$v"
	done
	check "$2 $title: sparse" sparse "$rev"
	check "$2 $title: kernel-doc" kernel_doc "$rev"
}

need_tools kernel
need_tree
mkdir -p "$work"
exec 9>"$work/.lock"
flock 9
check "the series applies to $(git -C "$tree" log -1 --format=%s base)" apply
first=$(cat "$work/first")
revs=()
[ $failed != 0 ] || mapfile -t revs < <(git -C "$src" rev-list --reverse "$first..HEAD")
i=0
: >"$work/all-complaints"
for rev in "${revs[@]}"; do
	i=$((i + 1))
	[ $i -gt "${to:-$i}" ] || [ $i -lt "$from" ] || verify_patch "$rev" "$(printf '%04d' $i)"
done
[ "$from" -le $i ] || [ $failed != 0 ] || die "--from $from: there are $i patches" 2
[ "$from$to" != 1 ] || [ ! -e "$patches/checkpatch-allow.txt" ] ||
	check "every line of checkpatch-allow.txt is needed" no_stale_allowance
echo "1..$n"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
