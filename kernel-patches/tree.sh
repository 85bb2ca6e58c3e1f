#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unpack the kernel source, make it a git repository (tag `base`) and apply the series to it.
#   [SERIES=7.x/fixes] kernel-patches/tree.sh [--source TARBALL] [--base TARBALL] [--anew] [DIR]
# DIR is build/linux-6.12; what is there is left as it is. Several series on one source
# (build/linux-7.x) are branches: a missing one is added, with all that it is applied on, and --anew
# replaces the branch of SERIES by what the files say. A later version than that of BASE works as
# well; with the source that BASE names (--base) git merges three ways. If a patch does not apply,
# the error names it and its files, and the tree keeps the patches before it.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

# Two or more arguments: the option, its value.
need_tarball() {
	[ ! -d "${2:-}" ] || die "'$2' is a folder, but $1 needs a tarball: make one with
git -C '$2' archive --prefix=linux/ -o linux.tar REV" 2
	[ -f "${2:-}" ] || die "no '${2:-}' ($1 TARBALL)" 2
}

source='' base='' dir=$tree anew=0
while [ $# -gt 0 ]; do
	case $1 in
	--source | --base) need_tarball "$@" ;;
	esac
	case $1 in
	--source) source=$2 && shift ;;
	--base) base=$2 && shift ;;
	--anew) anew=1 ;;
	-*) die "usage: tree.sh [--source TARBALL] [--base TARBALL] [--anew] [DIR]" 2 ;;
	*) dir=$1 ;;
	esac
	shift
done

g() { git -C "$new" "$@"; }

# A suite that this machine's apt does not have: an apt of our own fetches the package, and its
# tarball stays below build/.
fetch_source() {
	local package=$1 suite=$2 keep=$top/build/kernel-source/$family
	# shellcheck source=scripts/private-apt.sh
	. "$top/scripts/private-apt.sh"
	# shellcheck source=scripts/mirrors.sh
	. "$top/scripts/mirrors.sh"
	if ! source=$(compgen -G "$keep/$package.tar.*" | head -n 1); then
		find_mirror debian || die "$mirror_error, or use --source TARBALL" 3
		private_apt "$keep/apt" "$mirror" "$suite" ||
			die "$apt_error; or use --source TARBALL" 3
		say "fetching $package from $mirror $suite"
		(cd "$keep" && apt-get "${aptc[@]}" download "$package" >&2) ||
			die "$package cannot be downloaded from $mirror $suite: use --source TARBALL" 3
		unpack_package "$keep" "$package"
		source=$(compgen -G "$keep/$package.tar.*" | head -n 1) || die "$package has no source"
	fi
	version=$(cat "$keep/VERSION")
}

unpack_package() {
	local deb
	deb=$(compgen -G "$1/$2_*.deb")
	dpkg-deb -f "$deb" Version >"$1/VERSION"
	dpkg-deb --fsys-tarfile "$deb" |
		tar -C "$1" --transform 's|.*/||' -x --wildcards "*/$2.tar.*"
	rm -f "$deb"
}

find_source() {
	local package suite
	package=$(base_field package)
	suite=$(base_field suite)
	if [ -n "$source" ]; then
		version=$(basename "$source")
	elif [ -n "$suite" ]; then
		fetch_source "$package" "$suite"
	else
		source=$(compgen -G "/usr/src/$package.tar.*" | head -n 1) ||
			die "no /usr/src/$package.tar.*: run make kernel-tree, or use --source TARBALL" 3
		# shellcheck disable=SC2016 # ${Version} is dpkg's own syntax
		version=$(dpkg-query -W -f '${Version}' "$package")
	fi
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

# The address of the series' own commits: a placeholder, see mail.sh.
series_address() {
	sed -n 's/^From: .*<\(.*\)>$/\1/p' "$kp/6.12/$(tree_files 6.12 | head -n 1)"
}

# Dates and names are fixed, so that the same source gives the same commit everywhere.
commit_base() {
	local linux
	linux=$(sed -nE '1,5s/^(VERSION|PATCHLEVEL|SUBLEVEL) = //p' "$new/Makefile" | paste -sd .)
	git init -q -b rqspin "$new"
	g config user.name "rqspin developers"
	g config user.email "$(series_address)"
	g config gc.auto 0
	g config core.compression 1
	g config feature.manyFiles true
	g config commit.gpgSign false
	g config rebase.updateRefs true # moves the branch `lock` with its commit
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
	mapfile -t files < <(cd "$kp/$1" && tree_files "$1" | xargs sed -n 's|^--- a/||p' | sort -u)
	out=$(mktemp -d)
	# Files that the series adds are not in it.
	tar -C "$out" --strip-components=1 --wildcards -xf "$base" "${files[@]/#/*/}" 2>/dev/null ||
		true
	find "$out" -type f -exec git -C "$new" hash-object -w {} + >/dev/null
	rm -rf "$out"
}

# apply_series SERIES: on top of what is checked out.
apply_series() {
	local p n=0 log
	log=$(mktemp)
	[ -z "$base" ] || keep_base_files "$1"
	while read -r p; do
		if ! g am -q --3way --keep-non-patch "$kp/$1/$p" >"$log" 2>&1; then
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
	done < <(tree_files "$1")
	rm -f "$log"
	[ ! -e "$kp/$1/tests/series" ] || g branch lock "HEAD~$(tree_files "$1" | grep -c /)"
	say "$n patches applied on $(g log -1 --format=%s base) ($(g config rqspin.version))"
}

# The branches of all that SERIES is applied on, and its own.
add_branches() {
	local name
	while read -r name; do
		g rev-parse -q --verify "$(series_branch "$name")" >/dev/null && continue
		add_branch "$name" || return 1
	done < <(series_chain "$SERIES")
}

add_branch() {
	local before first=base
	before=$(own_field after "$1")
	[ -z "$before" ] || first=$(series_branch "$before")
	g checkout -q -b "$(series_branch "$1")" "$first"
	say "$1:"
	apply_series "$1"
}

anew_words() {
	[ "$branch" = HEAD ] ||
		printf ', or\nSERIES=%s kernel-patches/tree.sh --anew, which applies the files' "$SERIES"
}

# What the series before this one brings counts as much as what this one does.
check_commits() {
	local commits
	commits=$(g rev-list --count "$start..$branch")
	say "$dir is there with $commits commits on $(g log -1 --format=%s "$start");" \
		"remove it to unpack again"
	[ "$commits" -ge "$(tree_files | wc -l)" ] ||
		die "the series has more: repair the tree, or remove it$(anew_words)"
}

replace_branch() {
	[ "$branch" != HEAD ] || die "--anew is for series that share a tree" 2
	[ -z "$(g status --porcelain -uno)" ] || die "changes in $dir are not committed"
	g checkout -q --detach base
	! g rev-parse -q --verify "$branch" >/dev/null || g branch -q -D "$branch"
}

if git -C "$dir" rev-parse -q --verify base >/dev/null 2>&1; then
	new=$dir
	[ $anew = 0 ] || replace_branch
	[ "$branch" = HEAD ] || add_branches || die "the branch $branch has the patches before it"
	check_commits
	exit 0
fi
[ ! -e "$dir" ] || die "$dir exists and is no tree of ours"
new=$dir.new
find_source
unpack
commit_base
applied=1
if [ "$branch" = HEAD ]; then
	apply_series "$SERIES" || applied=0
else
	add_branches || applied=0
fi
mv "$new" "$dir"
[ $applied = 1 ] || die "the tree in $dir has the patches before it"
