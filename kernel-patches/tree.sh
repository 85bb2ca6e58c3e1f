#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unpack the kernel source, make it a git repository (tag `base`) and apply the series to it.
#   kernel-patches/tree.sh [--source TARBALL] [--base TARBALL] [DIR]       DIR: build/linux-6.12
# An existing DIR is left as it is. A later 6.12.y than that of BASE works as well; with the source
# that BASE names (--base) git merges three ways. If a patch does not apply, the error names it and
# its files, and the tree keeps the patches before it.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

# Two or more arguments: the option, its value.
need_tarball() {
	[ ! -d "${2:-}" ] || die "'$2' is a folder, but $1 needs a tarball: make one with
git -C '$2' archive --prefix=linux/ -o linux.tar REV" 2
	[ -f "${2:-}" ] || die "no '${2:-}' ($1 TARBALL)" 2
}

source='' base='' dir=$tree
while [ $# -gt 0 ]; do
	case $1 in
	--source | --base) need_tarball "$@" ;;
	esac
	case $1 in
	--source) source=$2 && shift ;;
	--base) base=$2 && shift ;;
	-*) die "usage: tree.sh [--source TARBALL] [--base TARBALL] [DIR]" 2 ;;
	*) dir=$1 ;;
	esac
	shift
done

g() { git -C "$new" "$@"; }

find_source() {
	local package
	package=$(base_field package)
	if [ -n "$source" ]; then
		version=$(basename "$source")
		return 0
	fi
	source=$(compgen -G "/usr/src/$package.tar.*" | head -n 1) ||
		die "no /usr/src/$package.tar.*: run make kernel-tree, or use --source TARBALL" 3
	# shellcheck disable=SC2016 # ${Version} is dpkg's own syntax
	version=$(dpkg-query -W -f '${Version}' "$package")
}

unpack() {
	sha256=$(sha256sum "$source" | cut -d' ' -f1)
	[ "$sha256" = "$(base_field sha256)" ] ||
		say "$version is not what the series was made on ($(base_field package)" \
			"$(base_field version)); patches may need a three-way merge"
	rm -rf "$new"
	mkdir -p "$new"
	say "unpacking $source"
	tar -C "$new" --strip-components=1 -xf "$source"
	[ -e "$new/Kbuild" ] || die "$source holds no kernel"
	# Debian's own line makes git blind for every new file.
	sed -i '/^\/\*$/d' "$new/.gitignore"
}

# Dates and names are fixed, so that the same source gives the same commit everywhere.
commit_base() {
	local linux
	linux=$(sed -nE '1,5s/^(VERSION|PATCHLEVEL|SUBLEVEL) = //p' "$new/Makefile" | paste -sd .)
	git init -q -b rqspin "$new"
	g config user.name "rqspin developers"
	g config user.email "$(sed -n 's/^From: .*<\(.*\)>$/\1/p' "$patches/$(series_files | head -n 1)")"
	g config gc.auto 0
	g config core.compression 1
	g config feature.manyFiles true
	g config commit.gpgSign false
	g config rqspin.version "$version"
	g config rqspin.sha256 "$sha256"
	g add -A -f .
	GIT_AUTHOR_DATE=2024-11-17T22:15:08Z GIT_COMMITTER_DATE=2024-11-17T22:15:08Z \
		g commit -q -m "Linux $linux"
	g tag base
}

# Old versions of the files that the series changes: what a three-way merge starts from.
keep_base_files() {
	local files out
	mapfile -t files < <(sed -n 's|^--- a/||p' "$patches"/0*.patch | sort -u)
	out=$(mktemp -d)
	# Files that the series adds are not in it.
	tar -C "$out" --strip-components=1 --wildcards -xf "$base" "${files[@]/#/*/}" 2>/dev/null ||
		true
	find "$out" -type f -exec git -C "$new" hash-object -w {} + >/dev/null
	rm -rf "$out"
}

apply_series() {
	local p n=0 log
	log=$(mktemp)
	[ -z "$base" ] || keep_base_files
	while read -r p; do
		if ! g am -q --3way --keep-non-patch "$patches/$p" >"$log" 2>&1; then
			say "$p does not apply to $(g log -1 --format=%s base)"
			g diff --name-only --diff-filter=U | sed 's/^/  conflict in /' >&2
			grep '^error: ' "$log" | sed 's/^/  /' >&2
			[ -n "$base" ] || say "with the source of $(base_field package)" \
				"$(base_field version), --base TARBALL merges three ways"
			g am -q --abort
			rm -f "$log"
			return 1
		fi
		n=$((n + 1))
	done < <(series_files)
	rm -f "$log"
	say "$n patches applied on $(g log -1 --format=%s base) ($version)"
}

if git -C "$dir" rev-parse -q --verify base >/dev/null 2>&1; then
	commits=$(git -C "$dir" rev-list --count base..HEAD)
	say "$dir is there with $commits commits on $(git -C "$dir" log -1 --format=%s base);" \
		"remove it to unpack again"
	[ "$commits" -ge "$(series_files | wc -l)" ] ||
		die "the series has more: repair the tree, or remove it"
	exit 0
fi
[ ! -e "$dir" ] || die "$dir exists and is no tree of ours"
new=$dir.new
find_source
unpack
commit_base
applied=1
apply_series || applied=0
mv "$new" "$dir"
[ $applied = 1 ] || die "the tree in $dir has the patches before it"
