#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Put the source of the libbpf that scripts/libbpf.conf pins into .cache/libbpf-VERSION, unless it
# is there. It comes from the source package of Debian or Ubuntu, or from a crate: whichever this
# machine can reach. Nothing is installed. `make clean` leaves it, so that a build needs no network.
#   scripts/libbpf.sh               with LIBBPF_SRC=TARBALL|FOLDER: from there
#   scripts/libbpf.sh --sum FOLDER  print the checksum of a source folder, for libbpf.conf
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/mirrors.sh
. scripts/mirrors.sh
# shellcheck source=scripts/libbpf.conf
. scripts/libbpf.conf

tree=.cache/libbpf-$LIBBPF_VERSION
tarball=libbpf_$LIBBPF_VERSION.orig.tar.gz
tried=

die() {
	printf 'libbpf: error: %s\n' "$1" >&2
	exit "${2:-1}"
}

tree_sum() {
	(cd "$1" && find LICENSE* include src -type f ! -name '.*' -print0 | LC_ALL=C sort -z |
		xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
}

# The folder at or below $1 that has libbpf's src/ in it.
tree_find() {
	local map
	map=$(find "$1" -maxdepth 4 -path '*/src/libbpf.map' -print -quit)
	[ -n "$map" ] && dirname "$(dirname "$map")"
}

# Take what is in folder $1, if it is the libbpf that is pinned. Its callers ask how it went, so
# `set -e` is off here: half a copy must not become the tree.
tree_take() {
	local from
	from=$(tree_find "$1") && [ "$(tree_sum "$from" 2>/dev/null)" = "$LIBBPF_TREE_SHA256" ] || return 1
	mkdir -p "$work/take" &&
		(cd "$from" && cp -r LICENSE* include src "$work/take") &&
		rm -rf "$tree" &&
		mv "$work/take" "$tree"
}

tarball_take() {
	mkdir -p "$work/unpacked"
	tar -C "$work/unpacked" -xf "$1" 2>/dev/null && tree_take "$work/unpacked"
}

given_take() {
	[ -e "$LIBBPF_SRC" ] || die "LIBBPF_SRC=$LIBBPF_SRC: no such file or folder"
	if [ -d "$LIBBPF_SRC" ]; then tree_take "$LIBBPF_SRC"; else tarball_take "$LIBBPF_SRC"; fi ||
		die "LIBBPF_SRC=$LIBBPF_SRC is not the source of libbpf $LIBBPF_VERSION (scripts/libbpf.conf)"
}

# url_get URL FILE: by apt's own means, with its proxies, or curl's.
url_get() {
	local helper=/usr/lib/apt/apt-helper
	if [ -x $helper ]; then
		timeout 300 $helper -o Acquire::Retries=2 -o APT::Sandbox::User=root download-file "$1" "$2" \
			"SHA256:$LIBBPF_TARBALL_SHA256" >"$work/log" 2>&1
	else
		curl -fsSL --retry 2 --max-time 300 -o "$2" "$1" >"$work/log" 2>&1
	fi
}

mirror_take() { # debian or ubuntu
	local url
	if ! find_mirror "$1" 2>/dev/null; then
		tried+="; $mirror_error"
		return 1
	fi
	url=$mirror/pool/main/libb/libbpf/$tarball
	url_get "$url" "$work/$tarball" && tarball_take "$work/$tarball" && return
	tried+="; no $url: $(grep -E '^(E|W|Err|curl):?' "$work/log" | tail -n 1)"
	return 1
}

crate_take() {
	local dir=$work/crate
	command -v cargo >/dev/null || {
		tried+="; no cargo"
		return 1
	}
	mkdir -p "$dir/src"
	: >"$dir/src/lib.rs"
	printf '[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\n%s = "=%s"\n' \
		"$LIBBPF_CRATE" "$LIBBPF_CRATE_VERSION" >"$dir/Cargo.toml"
	(cd "$dir" && timeout 300 cargo vendor --quiet vendor) >"$work/log" 2>&1 &&
		tree_take "$dir/vendor/$LIBBPF_CRATE" && return
	tried+="; cargo: $(grep -iE 'error' "$work/log" | tail -n 1)"
	return 1
}

case ${1:-} in
--sum)
	from=$(tree_find "${2:?usage: libbpf.sh --sum FOLDER}") || die "$2: no src/libbpf.map in it"
	tree_sum "$from"
	exit
	;;
'') ;;
*) die "usage: libbpf.sh [--sum FOLDER]" 2 ;;
esac

mkdir -p .cache
# Two builds may want it at the same time.
exec 9>.cache/libbpf.lock
flock 9
[ ! -e "$tree" ] || [ -n "${LIBBPF_SRC:-}" ] || exit 0
# In the same file system as what it becomes, so that it appears whole or not at all.
work=$(mktemp -d .cache/libbpf.XXXXXX)
work=$PWD/$work
trap 'rm -rf "$work"' EXIT
if [ -n "${LIBBPF_SRC:-}" ]; then
	given_take
else
	echo "libbpf: fetching the source of libbpf $LIBBPF_VERSION into $tree" >&2
	mirror_take debian || mirror_take ubuntu || crate_take ||
		die "cannot fetch libbpf $LIBBPF_VERSION${tried}
libbpf: give its source with LIBBPF_SRC=TARBALL, or build with the system's: make LIBBPF=system" 3
fi
